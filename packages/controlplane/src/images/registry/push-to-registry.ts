import { gzipSync } from 'node:zlib';
import { parseImageReference } from '@kubewright/apimachinery/internal';
import { type AddedLayer, addLayer, type Configure } from '../add-layer.ts';
import type { ContentStore } from '../content-store.ts';
import { type TarFile, writeTar } from '../write-tar.ts';
import { BaseImage } from './base-image.ts';
import type { PullOptions } from './pull-options.ts';
import { RegistryAccess } from './registry-access.ts';
import { RegistryRepository } from './registry-repository.ts';
import { RegistryUpload } from './registry-upload.ts';
import { digestOf, documentsOf, uploadImages } from './upload-images.ts';

/** Options for pushing an image. `onLayer` is called when the registry has received a layer. */
export interface PushOptions extends PullOptions {
  /** The image to build on, in a registry: `gcr.io/distroless/nodejs22-debian12:nonroot`. */
  readonly base: string;
  /** Files of the new layer. */
  readonly files: readonly TarFile[];
  /** Name of the program that builds the image, recorded in the image history. */
  readonly createdBy: string;
  /** Derives the new image's run configuration from the base image's. */
  readonly configure: Configure;
}

/** An image that was pushed. */
export interface PushedImage {
  /** Digest of the image's manifest, or of its index if it has several platforms. */
  readonly digest: string;
  /** `linux/amd64` */
  readonly platforms: readonly string[];
}

/**
 * Adds a layer to a base image, on each of its platforms, and pushes the result. Layers that the registry has are not sent.
 *
 * @param options - `name`: the complete name of the image. `baseName`: the complete name of the base.
 * @throws ImageReferenceError, RegistryError or ImageStoreError if the push fails; the signal's reason if it is aborted.
 */
export async function pushToRegistry(
  image: string,
  options: PushOptions & {
    readonly name: string;
    readonly baseName: string;
    readonly content: ContentStore;
    readonly maxBytes: number;
  },
): Promise<PushedImage> {
  const { clock, random, signal, content, name, baseName, configure, createdBy } = options;
  const retry = { clock, random, signal };
  using access = new RegistryAccess(options);
  const from = parseImageReference(options.base);
  const to = parseImageReference(image);
  const base = await access.withCredentials(options.base, (open) =>
    BaseImage.read(from.digest ?? from.tag ?? 'latest', {
      ...options,
      name: baseName,
      repository: new RegistryRepository(open(signal), { name: baseName, retry }),
    }),
  );
  const layer = await storeLayer(content, options.files);
  const images = base.platforms.map((platform) => documentsOf(addLayer(platform, { layer, configure, createdBy })));
  const mountFrom = from.domain === to.domain && from.path !== to.path ? from.path : undefined;
  const scopes = [
    `repository:${to.path}:pull,push`,
    ...(mountFrom === undefined ? [] : [`repository:${mountFrom}:pull`]),
  ];
  const upload = (open: (signal: AbortSignal) => ConstructorParameters<typeof RegistryUpload>[0]) =>
    uploadImages(images, {
      ...options,
      open: (one) => new RegistryUpload(open(one), { name, retry: { ...retry, signal: one } }),
      tag: to.tag ?? 'latest',
      mountFrom,
      fileOf: (blob) => (blob.digest === layer.digest ? Promise.resolve(content.path(layer.digest)) : base.file(blob)),
    });
  const digest = await access.withCredentials(image, upload, { scopes });
  return { digest, platforms: images.map(({ platform }) => `${platform.os}/${platform.architecture}`) };
}

/** Compresses files to a layer and stores it. */
async function storeLayer(content: ContentStore, files: readonly TarFile[]): Promise<AddedLayer> {
  const tar = writeTar(files);
  const { digest, size } = await content.add(gzipSync(tar, { level: 9 }));
  return { digest, size, diffId: digestOf(tar) };
}
