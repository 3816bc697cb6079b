import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseImageReference } from '@kubewright/apimachinery/internal';
import { ContentStore } from './content-store.ts';
import { decompressed } from './decompress.ts';
import { loadArchive } from './image-archive.ts';
import { type ImageConfig, type ImageManifest, isManifest, parseObject } from './image-manifest.ts';
import { ImageStoreError } from './image-store-error.ts';
import type { PullOptions } from './registry/pull-options.ts';
import type { PushedImage, PushOptions } from './registry/push-to-registry.ts';
import { ImageRoot, type UnpackLimits } from './unpack-layer.ts';

/** A named image in the store. */
export interface StoredImage {
  /** The complete name: `docker.io/library/busybox:1.36`. */
  readonly name: string;
  /** Digest of the image's manifest. */
  readonly digest: string;
  /** Size of its compressed layers, in bytes. */
  readonly size: number;
  /** The build time, if the image records one. */
  readonly created?: string | undefined;
  /**
   * The digest that the name referred to in its registry when the image was pulled: the digest of the manifest, or of
   * an index for several platforms. Absent for an image that was loaded from a file.
   */
  readonly pulled?: string | undefined;
}

/** The content of the file that describes a named image. */
type NamedImage = Pick<StoredImage, 'name' | 'digest' | 'pulled'>;

const defaultLimits: UnpackLimits = { bytes: 64 * 1024 ** 3, files: 2_000_000 };

/**
 * Returns the complete name of an image: adds the registry, and the tag `latest` if the name has neither tag nor digest.
 *
 * @throws ImageReferenceError if the name is malformed
 */
export function completeName(image: string): string {
  const { domain, path, tag, digest } = parseImageReference(image);
  if (digest !== undefined) return `${domain}/${path}@${digest}`;
  return `${domain}/${path}:${tag ?? 'latest'}`;
}

/** The images on this machine. Several processes can use the same store. */
export class ImageStore {
  readonly #folder: string;
  readonly #content: ContentStore;
  readonly #limits: UnpackLimits;

  constructor(folder: string, { limits = defaultLimits }: { readonly limits?: UnpackLimits } = {}) {
    this.#folder = folder;
    this.#limits = limits;
    for (const part of ['names', 'roots']) mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
    // Unpacked files can have any mode, so other users must not be able to enter the folder.
    chmodSync(folder, 0o700);
    this.#content = new ContentStore(folder);
  }

  /** Opens the store that all clusters of the current user share. */
  static ofUser(env: Readonly<Record<string, string | undefined>>): ImageStore {
    const data = env['XDG_DATA_HOME'] || join(env['HOME'] || homedir(), '.local', 'share');
    return new ImageStore(join(data, 'kubewright', 'images'));
  }

  /**
   * Loads the images of an OCI layout or a `docker save` archive.
   *
   * @param options - `name`: the image's name if the archive does not name it.
   * @throws ImageStoreError if the archive cannot be used.
   */
  async load(path: string, { name }: { readonly name?: string | undefined } = {}): Promise<readonly StoredImage[]> {
    const loaded = await loadArchive(path, this.#content);
    const stored: StoredImage[] = [];
    for (const image of loaded) {
      const complete = image.name ?? (loaded.length === 1 ? name : undefined);
      if (complete === undefined) {
        throw new ImageStoreError({
          what: `cannot load images from ${path}`,
          why: 'the archive contains an image without a name',
          remedy: 'pass --name NAME:TAG (only for an archive with one image)',
        });
      }
      stored.push(await this.#name({ name: completeName(complete), digest: image.digest }));
    }
    return stored;
  }

  /**
   * Creates an image from a tar archive of a root file system, as `docker import` does.
   *
   * @throws ImageStoreError if the archive cannot be read.
   */
  async import(path: string, { name }: { readonly name: string }): Promise<StoredImage> {
    const layer = await this.#content.stage(decompressed(path));
    this.#content.keep(layer, layer.digest);
    this.#content.discard([layer]);
    const config: ImageConfig = { os: 'linux', config: {}, rootfs: { diff_ids: [layer.digest] } };
    const { digest, size } = await this.#content.add(JSON.stringify(config));
    const layers = [{ digest: layer.digest, size: layer.size }];
    const manifest = await this.#content.add(JSON.stringify({ schemaVersion: 2, config: { digest, size }, layers }));
    return this.#name({ name: completeName(name), digest: manifest.digest });
  }

  /**
   * Pulls an image from its registry, or checks that it is up to date.
   *
   * @throws ImageReferenceError, RegistryError or ImageStoreError if the pull fails; the signal's reason if it is aborted.
   */
  async pull(image: string, options: PullOptions): Promise<StoredImage> {
    const name = completeName(image);
    const { pullFromRegistry } = await import('./registry/pull-from-registry.ts');
    const maxBytes = this.#limits.bytes;
    const { digest, named } = await pullFromRegistry(image, { ...options, name, content: this.#content, maxBytes });
    return this.#name({ name, digest, pulled: named });
  }

  /**
   * Adds a layer to a base image of a registry and pushes the result to the image's registry. Adds no named image to
   * the store. The store keeps downloaded layers of the base until {@link prune}.
   *
   * @throws ImageReferenceError, RegistryError or ImageStoreError if the push fails; the signal's reason if it is
   *   aborted.
   */
  async push(image: string, options: PushOptions): Promise<PushedImage> {
    const name = completeName(image);
    const baseName = completeName(options.base);
    const { pushToRegistry } = await import('./registry/push-to-registry.ts');
    return pushToRegistry(image, { ...options, name, baseName, content: this.#content, maxBytes: this.#limits.bytes });
  }

  /** Returns all complete images, sorted by name. */
  async list(): Promise<readonly StoredImage[]> {
    const names = this.#names().filter((named) => this.#isComplete(named));
    return Promise.all(names.map((named) => this.#describe(named)));
  }

  /** Returns a named image; undefined if it is not in the store. @throws ImageReferenceError if the name is malformed */
  find(image: string): NamedImage | undefined {
    const name = completeName(image);
    const found = readName(this.#nameFile(name));
    if (found && this.#isComplete(found)) return found;
    const { digest } = parseImageReference(image);
    return digest !== undefined && this.#content.has(digest) ? { name, digest } : undefined;
  }

  /** Returns the configuration of an image. @throws ImageStoreError if the image is incomplete */
  async config(digest: string): Promise<ImageConfig> {
    const { config } = await this.#manifest(digest);
    const text = await this.#readOf(digest, () => this.#content.text(config.digest));
    // The fields are those of the OCI image specification.
    return parseObject(text, `the configuration of ${digest}`) as ImageConfig;
  }

  /**
   * Returns the folder with an image's unpacked files, which the caller must not change. Unpacks the image if necessary.
   *
   * @param options - `firstId`: the id on this machine that the image's user 0 is mapped to; `undefined` if this process's user
   * owns the files.
   * @throws ImageStoreError if a layer is damaged, has a path outside the root, or exceeds a limit.
   */
  async root(digest: string, { firstId }: { readonly firstId: number | undefined }): Promise<string> {
    const { layers } = await this.#manifest(digest);
    const diffIds = (await this.config(digest)).rootfs?.diff_ids ?? [];
    const key = rootKey(diffIds);
    const folder = join(this.#folder, 'roots', firstId === undefined ? key : `${key}-${firstId}`);
    if (existsSync(folder)) return folder;
    const unfinished = this.#stagingFolder();
    try {
      const root = new ImageRoot(unfinished, { limits: this.#limits, firstId });
      for (const [index, layer] of layers.entries()) {
        try {
          const content = hashed(decompressed(this.#content.path(layer.digest)), diffIds[index]);
          await root.apply(content);
          // Reads any bytes after the end of the archive, so that the digest is checked.
          for await (const _ of content);
        } catch (error) {
          await this.#readOf(digest, () => this.#content.check(layer.digest));
          throw error;
        }
      }
      root.finish();
      renameSync(unfinished, folder);
    } catch (error) {
      removeTree(unfinished);
      // If the folder exists, another process has unpacked the image in the meantime.
      if (!existsSync(folder)) throw error;
    }
    return folder;
  }

  /**
   * Removes content that no image needs and leftovers of interrupted loads; with `all`, also removes every image. Returns the
   * number of bytes freed and of images removed. Concurrent loads fail.
   */
  async prune({ all }: { readonly all: boolean }): Promise<{ readonly bytes: number; readonly images: number }> {
    const names = this.#names();
    const isKept = (named: NamedImage): boolean => !all && this.#isComplete(named);
    const kept = names.filter(isKept);
    for (const named of names) if (!isKept(named)) rmSync(this.#nameFile(named.name), { force: true });
    const used = new Set<string>();
    const roots = new Set<string>();
    for (const { digest } of kept) {
      const { config, layers } = await this.#manifest(digest);
      for (const one of [digest, config.digest, ...layers.map((layer) => layer.digest)]) used.add(one);
      const diffIds = (await this.config(digest)).rootfs?.diff_ids ?? [];
      roots.add(rootKey(diffIds));
    }
    const staging = join(this.#folder, 'staging');
    for (const name of readdirSync(staging)) removeTree(join(staging, name));
    const folder = join(this.#folder, 'roots');
    for (const name of readdirSync(folder)) if (!roots.has(name.split('-')[0] ?? '')) removeTree(join(folder, name));
    return { bytes: this.#content.removeExcept(used), images: names.length - kept.length };
  }

  async #name(named: NamedImage): Promise<StoredImage> {
    const image = await this.#describe(named);
    const file = this.#nameFile(named.name);
    const staging = this.#stagingFolder();
    writeFileSync(join(staging, 'name'), JSON.stringify(named), { mode: 0o600, flush: true });
    renameSync(join(staging, 'name'), file);
    removeTree(staging);
    return image;
  }

  /** Reads content of an image. If it is missing or damaged, the image counts as absent, so that a node pulls it again. */
  async #readOf<T>(image: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof ImageStoreError) this.#content.remove(image);
      throw error;
    }
  }

  async #describe(named: NamedImage): Promise<StoredImage> {
    const { layers } = await this.#manifest(named.digest);
    const { created } = await this.config(named.digest);
    return { ...named, size: layers.reduce((sum, { size }) => sum + size, 0), created };
  }

  async #manifest(digest: string): Promise<ImageManifest> {
    const manifest = parseObject(await this.#content.text(digest), `the manifest ${digest}`);
    if (isManifest(manifest)) return manifest;
    throw new ImageStoreError({
      what: `cannot use the image ${digest}`,
      why: 'the digest does not refer to an image manifest',
    });
  }

  /** True if the store has the image's manifest, which is stored last and removed first. */
  #isComplete({ digest }: NamedImage): boolean {
    return this.#content.has(digest);
  }

  #names(): readonly NamedImage[] {
    const folder = join(this.#folder, 'names');
    return readdirSync(folder)
      .filter((file) => file.endsWith('.json'))
      .flatMap((file) => readName(join(folder, file)) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #stagingFolder(): string {
    return mkdtempSync(join(this.#folder, 'staging', 'image-'));
  }

  #nameFile(name: string): string {
    // Image names contain slashes and can be longer than a file name, so the file is named after the hash of the image
    // name.
    return join(this.#folder, 'names', `${sha256(name)}.json`);
  }
}

/** Reads the file of a name. Returns undefined if it does not exist: another process may have removed it. */
function readName(file: string): NamedImage | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NamedImage;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the name of the folder for these unpacked layers. */
function rootKey(diffIds: readonly string[]): string {
  return sha256(diffIds.join());
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Passes content through and checks its digest at the end. */
async function* hashed(
  content: AsyncIterable<Uint8Array>,
  expected: string | undefined,
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash('sha256');
  for await (const piece of content) {
    hash.update(piece);
    yield piece;
  }
  const digest = `sha256:${hash.digest('hex')}`;
  if (digest === expected) return;
  throw new ImageStoreError({
    what: `the image layer ${expected} is damaged`,
    why: `the content has the digest ${digest}`,
  });
}

/** Removes a folder of unpacked files, including read-only folders. */
function removeTree(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (name.isDirectory()) chmodSync(join(name.parentPath, name.name), 0o700);
  }
  rmSync(folder, { recursive: true, force: true });
}
