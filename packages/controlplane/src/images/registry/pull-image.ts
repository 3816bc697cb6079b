import type { ContentStore } from '../content-store.ts';
import {
  type Descriptor,
  type ImageManifest,
  isIndex,
  isManifest,
  manifestForThisMachine,
  parseObject,
} from '../image-manifest.ts';
import { inParallel } from './in-parallel.ts';
import type { PullOptions } from './pull-options.ts';
import { RegistryError } from './registry-error.ts';
import type { FetchedManifest, RegistryRepository } from './registry-repository.ts';

/** An image whose content is in the store. */
export interface PulledImage {
  /** Digest of the image's manifest. */
  readonly digest: string;
  /** The digest that the name refers to: the digest of the manifest, or of an index for several platforms. */
  readonly named: string;
}

/** Number of layers downloaded at the same time, as in containerd and Docker. */
const maxParallel = 3;
/** Maximum depth of indexes that refer to indexes. */
const maxIndexes = 3;
/** Maximum size of an image's configuration, in bytes. */
const maxConfigBytes = 4 * 1024 * 1024;
/** Configuration media types of runnable images. Registries also hold other artifacts, such as Helm charts. */
const imageConfigs = new Set([
  undefined,
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
]);

/**
 * Downloads an image into the store, except for content that the store already has. The manifest is stored last, so an
 * image with a manifest is complete.
 *
 * @throws RegistryError or ImageStoreError if the download fails; the signal's reason if it is aborted.
 */
export async function pullContent(
  reference: string,
  options: {
    /** The complete name, for errors. */
    readonly name: string;
    readonly repository: (signal: AbortSignal) => RegistryRepository;
    readonly content: ContentStore;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
    readonly onLayer: PullOptions['onLayer'];
  },
): Promise<PulledImage> {
  const { name, content, maxBytes, onLayer } = options;
  const failed = new AbortController();
  const repository = options.repository(AbortSignal.any([options.signal, failed.signal]));
  const named = await repository.manifest(reference);
  const { manifest, fetched } = await imageManifest(named, { repository, name });
  const blobs = blobsOf(manifest, { name, maxBytes });
  await inParallel(blobs, {
    limit: maxParallel,
    task: async (blob) => {
      if (content.has(blob.digest, blob.size)) return;
      try {
        await keep(content, { blob, data: repository.blob(blob) });
        if (blob !== manifest.config) onLayer?.(blob);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    },
  });
  const data = async function* () {
    yield fetched.content;
  };
  await keep(content, { blob: fetched, data: data() });
  return { digest: fetched.digest, named: named.digest };
}

/** Returns the manifest for this machine, from an index if necessary. */
async function imageManifest(
  named: FetchedManifest,
  { repository, name }: { readonly repository: RegistryRepository; readonly name: string },
): Promise<{ readonly manifest: ImageManifest; readonly fetched: FetchedManifest }> {
  let fetched = named;
  for (let depth = 0; depth <= maxIndexes; depth++) {
    const value = parseObject(fetched.content.toString('utf8'), `the manifest of ${name}`);
    if (isManifest(value)) return { manifest: value, fetched };
    if (!isIndex(value)) break;
    fetched = await repository.manifest(manifestForThisMachine(value, name).digest);
  }
  throw unusable(name, 'the image manifest has an unsupported format');
}

/**
 * Returns the descriptors of the configuration and the layers, without duplicates.
 *
 * @throws RegistryError if the manifest is invalid or the image is too large
 */
export function blobsOf(
  { config, layers }: ImageManifest,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): readonly Descriptor[] {
  if (!imageConfigs.has(config.mediaType))
    throw unusable(
      name,
      `the manifest does not describe a container image: the media type of its configuration is ${config.mediaType}`,
    );
  const blobs = [...new Map([config, ...layers].map((blob) => [blob.digest, blob])).values()];
  if (blobs.some(({ size }) => !Number.isSafeInteger(size) || size < 0))
    throw unusable(name, 'the image manifest contains an invalid size');
  const total = blobs.reduce((sum, { size }) => sum + size, 0);
  if (config.size > maxConfigBytes) throw unusable(name, 'the image configuration is larger than 4 MiB');
  if (total > maxBytes) throw unusable(name, `the image is larger than ${maxBytes} bytes`);
  return blobs;
}

/** Adds a blob to the store. @throws ImageStoreError if the digest differs; any error of `data` */
export async function keep(
  content: ContentStore,
  { blob, data }: { readonly blob: { readonly digest: string }; readonly data: AsyncIterable<Uint8Array> },
): Promise<void> {
  const staged = await content.stage(data);
  try {
    content.keep(staged, blob.digest);
  } finally {
    content.discard([staged]);
  }
}

function unusable(name: string, why: string): RegistryError {
  return new RegistryError({ what: `cannot pull ${name}`, why });
}
