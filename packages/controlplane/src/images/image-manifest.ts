import { ImageStoreError } from './image-store-error.ts';

/** A reference to a blob by its digest. */
export interface Descriptor {
  readonly mediaType?: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os?: string; readonly architecture?: string; readonly variant?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A list of manifests, such as those of one image for several platforms. */
export interface ImageIndex {
  readonly manifests: readonly Descriptor[];
}

/** An image manifest: references to the image's configuration and layers. */
export interface ImageManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Media types of the OCI image specification. */
export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  gzipLayer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

/**
 * An image's configuration: how its containers run. Field names follow the OCI image specification. Some builders write `null` for
 * an empty list.
 */
export interface ImageConfig {
  readonly architecture?: string;
  readonly os?: string;
  readonly created?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[] | null;
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly StopSignal?: string;
    readonly Volumes?: Readonly<Record<string, object>>;
  };
  readonly rootfs?: { readonly type?: string; readonly diff_ids?: readonly string[] };
  readonly history?: readonly object[];
}

/** The architecture of this machine, under Go's name. */
export const thisArchitecture: string = process.arch === 'x64' ? 'amd64' : process.arch;

/** Parses an image's JSON. @throws ImageStoreError if it is not a JSON object */
export function parseObject(text: string, what: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ImageStoreError({ what: `cannot read ${what}`, why: (cause as Error).message }, { cause });
  }
  if (typeof value === 'object' && value !== null) return value;
  throw new ImageStoreError({ what: `cannot read ${what}`, why: 'the content is not a JSON object' });
}

/** True if the JSON lists manifests. */
export function isIndex(value: object): value is ImageIndex {
  return 'manifests' in value && Array.isArray(value.manifests);
}

/** True if the JSON is an image manifest (Docker schema 2 or OCI). */
export function isManifest(value: object): value is ImageManifest {
  return 'config' in value && 'layers' in value && Array.isArray(value.layers);
}

/** Returns the manifests for Linux and the given architectures (Go's names) from an index, each at most once. */
export function manifestsFor({ manifests }: ImageIndex, architectures: readonly string[]): readonly Descriptor[] {
  return architectures.flatMap(
    (architecture) =>
      manifests.find(({ platform }) => platform?.os === 'linux' && platform.architecture === architecture) ?? [],
  );
}

/** Returns the manifest for this machine from an index. @throws ImageStoreError if the index has none */
export function manifestForThisMachine({ manifests }: ImageIndex, what: string): Descriptor {
  const images = manifests.filter(({ annotations }) => annotations?.['vnd.docker.reference.type'] === undefined);
  const found = images.find(({ platform }) => platform?.os === 'linux' && platform.architecture === thisArchitecture);
  const only = images.length === 1 && images[0]?.platform === undefined ? images[0] : undefined;
  const chosen = found ?? only;
  if (chosen) return chosen;
  const platforms = images.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ');
  throw new ImageStoreError({
    what: `${what} has no image for linux/${thisArchitecture}`,
    why: `available platforms: ${platforms || 'none'}`,
  });
}
