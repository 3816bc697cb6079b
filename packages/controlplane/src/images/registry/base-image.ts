import type { PlatformImage } from '../add-layer.ts';
import type { ContentStore } from '../content-store.ts';
import {
  type Descriptor,
  type ImageConfig,
  isIndex,
  isManifest,
  manifestsFor,
  parseObject,
} from '../image-manifest.ts';
import { blobsOf, keep } from './pull-image.ts';
import { RegistryError } from './registry-error.ts';
import type { RegistryRepository } from './registry-repository.ts';

/** The common CPU architectures of clusters, under Go's names. */
const architectures = ['amd64', 'arm64'];

/** An image in a registry, on which other images are built. Its layers are downloaded only if they are needed. */
export class BaseImage {
  readonly #repository: RegistryRepository;
  readonly #content: ContentStore;
  /** The image for each platform. */
  readonly platforms: readonly PlatformImage[];

  private constructor(
    platforms: readonly PlatformImage[],
    options: { readonly repository: RegistryRepository; readonly content: ContentStore },
  ) {
    this.platforms = platforms;
    this.#repository = options.repository;
    this.#content = options.content;
  }

  /** Reads the manifests and configurations. @throws RegistryError or ImageStoreError if they cannot be read */
  static async read(
    reference: string,
    options: {
      /** The complete name, for errors. */
      readonly name: string;
      readonly repository: RegistryRepository;
      readonly content: ContentStore;
      readonly maxBytes: number;
    },
  ): Promise<BaseImage> {
    const { name, repository, content, maxBytes } = options;
    const value = parse(await repository.manifest(reference), name);
    const chosen = isIndex(value) ? manifestsFor(value, architectures) : [];
    const manifests = isIndex(value)
      ? await Promise.all(chosen.map(async ({ digest }) => parse(await repository.manifest(digest), name)))
      : [value];
    const platforms: PlatformImage[] = [];
    for (const manifest of manifests) {
      if (!isManifest(manifest)) throw unusable(name, 'the image manifest has an unsupported format');
      blobsOf(manifest, { name, maxBytes });
      const { config } = manifest;
      if (!content.has(config.digest)) await keep(content, { blob: config, data: repository.blob(config) });
      const text = await content.text(config.digest);
      // The fields are those of the OCI image specification.
      platforms.push({ manifest, config: parseObject(text, `the configuration of ${name}`) as ImageConfig });
    }
    if (platforms.length === 0)
      throw unusable(name, `the image is not available for linux/${architectures.join(' or linux/')}`);
    return new BaseImage(platforms, options);
  }

  /** Returns the file of a layer. Downloads it into the store if necessary. @throws RegistryError or ImageStoreError */
  async file(layer: Descriptor): Promise<string> {
    const { digest, size } = layer;
    if (!this.#content.has(digest, size))
      await keep(this.#content, { blob: layer, data: this.#repository.blob(layer) });
    return this.#content.path(digest);
  }
}

function parse({ content }: { readonly content: Uint8Array }, name: string): object {
  return parseObject(Buffer.from(content).toString('utf8'), `the manifest of ${name}`);
}

function unusable(name: string, why: string): RegistryError {
  return new RegistryError({ what: `cannot use ${name} as the base image`, why });
}
