import { createHash } from 'node:crypto';
import type { addLayer } from '../add-layer.ts';
import type { ContentStore } from '../content-store.ts';
import { type Descriptor, mediaTypes } from '../image-manifest.ts';
import { inParallel } from './in-parallel.ts';
import type { RegistryUpload } from './registry-upload.ts';

/** Number of layers uploaded at the same time. */
const maxParallel = 3;

/** A JSON document for the registry, with its descriptor. */
interface Document {
  readonly content: Buffer;
  readonly descriptor: Descriptor & { readonly mediaType: string };
}

/** The documents of an image for one platform. */
export interface ImageDocuments {
  readonly config: Document;
  readonly manifest: Document;
  readonly layers: readonly Descriptor[];
  readonly platform: { readonly os: string; readonly architecture: string };
}

/** Returns the documents of an image with these layers. */
export function documentsOf({ config, layers }: ReturnType<typeof addLayer>): ImageDocuments {
  const configuration = document(config, mediaTypes.config);
  const manifest = document(
    { schemaVersion: 2, mediaType: mediaTypes.manifest, config: configuration.descriptor, layers },
    mediaTypes.manifest,
  );
  const { os = 'linux', architecture = 'amd64' } = config;
  return { config: configuration, manifest, layers, platform: { os, architecture } };
}

/**
 * Uploads the layers, then the documents that refer to them, and finally the name. Returns the digest that the name now
 * refers to.
 */
export async function uploadImages(
  images: readonly ImageDocuments[],
  options: {
    readonly signal: AbortSignal;
    readonly onLayer?: ((layer: Descriptor) => void) | undefined;
    readonly open: (signal: AbortSignal) => RegistryUpload;
    readonly tag: string;
    readonly content: ContentStore;
    readonly mountFrom: string | undefined;
    readonly fileOf: (layer: Descriptor) => Promise<string>;
  },
): Promise<string> {
  const { open, tag, content, mountFrom, fileOf, signal, onLayer } = options;
  const failed = new AbortController();
  const upload = open(AbortSignal.any([signal, failed.signal]));
  const layers = new Map(images.flatMap(({ layers }) => layers).map((layer) => [layer.digest, layer]));
  await inParallel([...layers.values()], {
    limit: maxParallel,
    task: async (layer) => {
      try {
        const outcome = await upload.blob(layer, { file: () => fileOf(layer), mountFrom });
        if (outcome !== 'present') onLayer?.(layer);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    },
  });
  for (const { config } of images) {
    await content.add(config.content);
    await upload.blob(config.descriptor, { file: () => Promise.resolve(content.path(config.descriptor.digest)) });
  }
  const [only, ...others] = images;
  if (only && others.length === 0) return await put(upload, { reference: tag, document: only.manifest });
  for (const { manifest } of images) await put(upload, { reference: manifest.descriptor.digest, document: manifest });
  const manifests = images.map(({ manifest, platform }) => ({ ...manifest.descriptor, platform }));
  const index = document({ schemaVersion: 2, mediaType: mediaTypes.index, manifests }, mediaTypes.index);
  return await put(upload, { reference: tag, document: index });
}

async function put(
  upload: RegistryUpload,
  { reference, document }: { readonly reference: string; readonly document: Document },
): Promise<string> {
  const { content, descriptor } = document;
  await upload.manifest(reference, { content, type: descriptor.mediaType });
  return descriptor.digest;
}

function document(value: object, mediaType: string): Document {
  const content = Buffer.from(JSON.stringify(value));
  return { content, descriptor: { mediaType, digest: digestOf(content), size: content.length } };
}

export function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
