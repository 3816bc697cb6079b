import { createReadStream, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import type { ContentStore, StagedContent } from './content-store.ts';
import { decompressed } from './decompress.ts';
import {
  type Descriptor,
  type ImageIndex,
  type ImageManifest,
  isIndex,
  isManifest,
  manifestForThisMachine,
  parseObject,
} from './image-manifest.ts';
import { ImageStoreError } from './image-store-error.ts';
import { readTar } from './read-tar.ts';

/** An image of a loaded archive. Its content is in the store. */
export interface LoadedImage {
  /** Digest of the image's manifest. */
  readonly digest: string;
  /** The name in the archive; absent if the archive does not name the image. */
  readonly name?: string | undefined;
}

/** An entry of the `manifest.json` that `docker save` writes. */
interface SavedImage {
  readonly Config: string;
  readonly RepoTags?: readonly string[] | null;
  readonly Layers: readonly string[];
}

/**
 * Loads the images of an archive into the store. The archive is an OCI layout (a folder or a tar) or the output of `docker save`.
 *
 * @throws ImageStoreError if it is neither, is damaged, or has no image for this machine.
 */
export async function loadArchive(path: string, store: ContentStore): Promise<readonly LoadedImage[]> {
  const files = new Map<string, StagedContent>();
  try {
    await stageFiles(path, { store, files });
    const archive = new ImageArchive(path, { store, files });
    if (files.has('index.json')) return await archive.layout();
    if (files.has('manifest.json')) return await archive.saved();
    throw new ImageStoreError({
      what: `cannot load images from ${path}`,
      why: 'the archive has no index.json (OCI layout) and no manifest.json (docker save)',
      remedy: 'write the archive with `docker save`, `podman save` or `skopeo copy … oci-archive:FILE`',
    });
  } finally {
    store.discard(files.values());
  }
}

async function stageFiles(
  path: string,
  { store, files }: { readonly store: ContentStore; readonly files: Map<string, StagedContent> },
): Promise<void> {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
      const file = join(path, name);
      if (statSync(file).isFile()) files.set(name, await store.stage(createReadStream(file)));
    }
    return;
  }
  const links = new Map<string, string>();
  for await (const entry of readTar(decompressed(path))) {
    const name = posix.normalize(entry.path);
    if (entry.type === 'file') files.set(name, await store.stage(entry.content));
    // `docker save` writes a layer shared by several images only once, and links to it.
    if (entry.type === 'symlink') links.set(name, posix.normalize(posix.join(dirname(name), entry.target)));
    if (entry.type === 'hardlink') links.set(name, posix.normalize(entry.target));
  }
  for (const [name, target] of links) {
    const file = files.get(target);
    if (file) files.set(name, file);
  }
}

/** The staged files of an archive. */
class ImageArchive {
  readonly #path: string;
  readonly #store: ContentStore;
  readonly #files: ReadonlyMap<string, StagedContent>;

  constructor(
    path: string,
    parts: { readonly store: ContentStore; readonly files: ReadonlyMap<string, StagedContent> },
  ) {
    this.#path = path;
    this.#store = parts.store;
    this.#files = parts.files;
  }

  /** Stores the images of an OCI layout. */
  async layout(): Promise<readonly LoadedImage[]> {
    const { digest } = this.#file('index.json');
    this.#keep('index.json', digest);
    const index = parseObject(await this.#store.text(digest), `index.json of ${this.#path}`);
    if (!isIndex(index)) throw this.#invalid('index.json lists no manifests');
    const images: LoadedImage[] = [];
    for (const descriptor of index.manifests) {
      if (descriptor.annotations?.['vnd.docker.reference.type'] !== undefined) continue;
      images.push({ digest: await this.#keepImage(descriptor), name: nameOf(descriptor) });
    }
    return images;
  }

  /** Stores the images of a `docker save` archive that is not an OCI layout. */
  async saved(): Promise<readonly LoadedImage[]> {
    const { digest } = this.#file('manifest.json');
    this.#keep('manifest.json', digest);
    const saved = parseObject(await this.#store.text(digest), `manifest.json of ${this.#path}`);
    if (!Array.isArray(saved)) throw this.#invalid('manifest.json is not a list');
    const images: LoadedImage[] = [];
    for (const { Config, RepoTags, Layers } of saved as readonly SavedImage[]) {
      const layers = Layers.map((layer) => this.#keepNamed(layer));
      const manifest = JSON.stringify({ schemaVersion: 2, config: this.#keepNamed(Config), layers });
      const { digest: image } = await this.#store.add(manifest);
      const names = RepoTags && RepoTags.length > 0 ? RepoTags : [undefined];
      for (const name of names) images.push({ digest: image, name });
    }
    return images;
  }

  /** Stores an image and everything that it refers to. Returns the digest of its manifest. */
  async #keepImage(descriptor: Descriptor): Promise<string> {
    const { digest } = descriptor;
    const content = await this.#manifest(digest);
    if (isIndex(content)) {
      return this.#keepImage(manifestForThisMachine(content, digest));
    }
    for (const blob of [content.config, ...content.layers]) this.#keep(blobPath(blob.digest), blob.digest);
    return digest;
  }

  async #manifest(digest: string): Promise<ImageIndex | ImageManifest> {
    this.#keep(blobPath(digest), digest);
    const content = parseObject(await this.#store.text(digest), `the manifest ${digest}`);
    if (isIndex(content) || isManifest(content)) return content;
    throw this.#invalid(`${digest} is not an image manifest`);
  }

  #keepNamed(name: string): Descriptor {
    const { digest, size } = this.#file(posix.normalize(name));
    this.#keep(posix.normalize(name), digest);
    return { digest, size };
  }

  #keep(name: string, digest: string): void {
    if (!this.#store.has(digest)) this.#store.keep(this.#file(name), digest);
  }

  #file(name: string): StagedContent {
    const file = this.#files.get(name);
    if (file) return file;
    throw this.#invalid(`the archive does not contain ${name}`);
  }

  #invalid(why: string): ImageStoreError {
    return new ImageStoreError({ what: `cannot load images from ${this.#path}`, why });
  }
}

function blobPath(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

/** Returns an image's name in an OCI layout. An annotation without a slash or colon is only a tag, not a name. */
function nameOf({ annotations = {} }: Descriptor): string | undefined {
  const name = annotations['io.containerd.image.name'] ?? annotations['org.opencontainers.image.ref.name'];
  return name !== undefined && /[/:]/.test(name) ? name : undefined;
}
