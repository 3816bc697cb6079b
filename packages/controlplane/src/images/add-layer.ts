import { type Descriptor, type ImageConfig, type ImageManifest, mediaTypes } from './image-manifest.ts';

/** An image for one platform. */
export interface PlatformImage {
  readonly manifest: ImageManifest;
  readonly config: ImageConfig;
}

type RunConfig = NonNullable<ImageConfig['config']>;

/** Derives an image's run configuration from the base image's. */
export type Configure = (base: RunConfig) => RunConfig;

/** A layer to add to an image. */
export interface AddedLayer extends Descriptor {
  /** Digest of the uncompressed layer. */
  readonly diffId: string;
}

/**
 * OCI media types of layers, by Docker media type. The OCI image specification does not allow mixing the two in one
 * image.
 */
const ociTypes: Readonly<Record<string, string>> = {
  'application/vnd.docker.image.rootfs.diff.tar': 'application/vnd.oci.image.layer.v1.tar',
  'application/vnd.docker.image.rootfs.diff.tar.gzip': mediaTypes.gzipLayer,
  'application/vnd.docker.image.rootfs.diff.tar.zstd': 'application/vnd.oci.image.layer.v1.tar+zstd',
};
/** The creation time of reproducible images. */
const epoch = '1970-01-01T00:00:00Z';

/**
 * Returns the configuration and the layers of an image with another layer on top. The same input always gives the same
 * image, because its creation time is constant.
 *
 * @param options - `configure`: derives the new image's run configuration from the base image's.
 */
export function addLayer(
  { manifest, config }: PlatformImage,
  options: {
    readonly layer: AddedLayer;
    readonly createdBy: string;
    readonly configure: Configure;
  },
): { readonly config: ImageConfig; readonly layers: readonly Descriptor[] } {
  const { layer, configure, createdBy } = options;
  const { digest, size, diffId } = layer;
  const { history } = config;
  return {
    config: {
      ...config,
      created: epoch,
      config: configure(config.config ?? {}),
      rootfs: { type: 'layers', diff_ids: [...(config.rootfs?.diff_ids ?? []), diffId] },
      ...(history && { history: [...history, { created: epoch, created_by: createdBy }] }),
    },
    layers: [...manifest.layers.map(asOci), { mediaType: mediaTypes.gzipLayer, digest, size }],
  };
}

function asOci({ mediaType = mediaTypes.gzipLayer, digest, size }: Descriptor): Descriptor {
  return { mediaType: ociTypes[mediaType] ?? mediaType, digest, size };
}
