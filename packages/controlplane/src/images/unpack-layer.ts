import {
  chmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ImageStoreError } from './image-store-error.ts';
import { pathInRoot } from './path-in-root.ts';
import { readTar, type TarEntry } from './read-tar.ts';

/** Limits on an unpacked image. */
export interface UnpackLimits {
  readonly bytes: number;
  readonly files: number;
}

/** The folder into which the layers of an image are unpacked, one after another. */
export class ImageRoot {
  readonly #root: string;
  readonly #limits: UnpackLimits;
  /** The id on this machine that id 0 of the image is mapped to; `undefined` if this process's user owns all files. */
  readonly #firstId: number | undefined;
  /**
   * The final modes of folders. They are set at the end, because this process must be able to write into the folders
   * while it unpacks layers.
   */
  readonly #modes = new Map<string, number>();
  /** The paths that the current layer has created. */
  readonly #own = new Set<string>();
  #bytes = 0;
  #files = 0;

  /**
   * @param options - `firstId`: the id on this machine that the image's user 0 is mapped to; `undefined` if ids cannot be set.
   */
  constructor(root: string, options: { readonly limits: UnpackLimits; readonly firstId: number | undefined }) {
    this.#root = root;
    this.#limits = options.limits;
    this.#firstId = options.firstId;
    mkdirSync(root, { recursive: true });
    this.#setMode('/', 0o755);
    this.#setOwner(root, { uid: 0, gid: 0 });
  }

  /**
   * Applies a layer: its files replace those of lower layers, and its whiteouts remove them. Devices are skipped.
   *
   * @throws ImageStoreError if the layer is damaged, has a path outside the root, or exceeds a limit.
   */
  async apply(layer: AsyncIterable<Uint8Array>): Promise<void> {
    this.#own.clear();
    for await (const entry of readTar(layer)) {
      this.#count(entry);
      await this.#apply(entry);
    }
  }

  /** Sets the final modes of all folders. */
  finish(): void {
    for (const [path, mode] of [...this.#modes].reverse()) {
      const folder = join(this.#root, path);
      if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) chmodSync(folder, mode);
    }
  }

  async #apply(entry: TarEntry): Promise<void> {
    const parts = entry.path.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..')) throw rejected(entry, 'the path is outside the root of the image');
    const name = parts.pop();
    if (name === undefined) {
      this.#setMode('/', entry.mode);
      return;
    }
    const parent = pathInRoot(this.#root, parts.join('/'));
    this.#makeParents(parent);
    const path = join(parent, name);
    if (name === '.wh..wh..opq') return this.#hideAll(parent);
    if (name.startsWith('.wh.')) return this.#hide(join(parent, name.slice('.wh.'.length)));
    if (entry.type === 'device') return;
    this.#own.add(path);
    await this.#write(path, entry);
  }

  async #write(path: string, entry: TarEntry): Promise<void> {
    const file = join(this.#root, path);
    const present = lstatSync(file, { throwIfNoEntry: false });
    const merges = present?.isDirectory() && entry.type === 'folder';
    if (present && !merges) rmSync(file, { recursive: true });
    switch (entry.type) {
      case 'folder':
        if (!merges) mkdirSync(file, { mode: 0o700 });
        this.#setOwner(file, entry);
        this.#setMode(path, entry.mode);
        return;
      case 'symlink':
        symlinkSync(entry.target, file);
        this.#setOwner(file, entry);
        return;
      case 'hardlink':
        this.#link(file, entry);
        return;
      case 'file':
        await writeContent(file, entry);
        this.#setOwner(file, entry);
        chmodSync(file, this.#modeOf(entry.mode));
        utimesSync(file, entry.modifiedAtMs / 1_000, entry.modifiedAtMs / 1_000);
        return;
      default:
    }
  }

  #link(file: string, entry: TarEntry): void {
    const source = join(this.#root, pathInRoot(this.#root, dirname(entry.target)), basename(entry.target));
    const found = lstatSync(source, { throwIfNoEntry: false });
    if (!found || found.isDirectory())
      throw rejected(entry, `the target ${entry.target} of the hard link is not a file in the image`);
    linkSync(source, file);
  }

  #makeParents(path: string): void {
    if (path === '/' || lstatSync(join(this.#root, path), { throwIfNoEntry: false })?.isDirectory()) return;
    this.#makeParents(dirname(path));
    const folder = join(this.#root, path);
    rmSync(folder, { force: true });
    mkdirSync(folder, { mode: 0o700 });
    this.#own.add(path);
    this.#setOwner(folder, { uid: 0, gid: 0 });
    this.#setMode(path, 0o755);
  }

  /** Removes a file that a lower layer has created. */
  #hide(path: string): void {
    if (!this.#own.has(path)) rmSync(join(this.#root, path), { recursive: true, force: true });
  }

  /** Removes everything that lower layers have created in a folder. */
  #hideAll(folder: string): void {
    for (const name of readdirSync(join(this.#root, folder))) {
      const path = join(folder, name);
      if (!this.#own.has(path)) this.#hide(path);
      else if (lstatSync(join(this.#root, path)).isDirectory()) this.#hideAll(path);
    }
  }

  #count(entry: TarEntry): void {
    this.#bytes += entry.size;
    this.#files += 1;
    const { bytes, files } = this.#limits;
    if (this.#bytes > bytes) throw rejected(entry, `the image is larger than ${bytes} bytes`);
    if (this.#files > files) throw rejected(entry, `the image has more than ${files} files`);
  }

  #setMode(path: string, mode: number): void {
    this.#modes.delete(path);
    this.#modes.set(path, this.#modeOf(mode));
    chmodSync(join(this.#root, path), mode | 0o700);
  }

  /** Drops setuid and setgid bits if this process's user owns the files: they would grant that user's rights instead of root's. */
  #modeOf(mode: number): number {
    return this.#firstId === undefined ? mode & 0o1777 : mode;
  }

  #setOwner(file: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
    if (this.#firstId !== undefined) lchownSync(file, this.#firstId + uid, this.#firstId + gid);
  }
}

async function writeContent(file: string, { content }: TarEntry): Promise<void> {
  // The flag `wx` fails if the file exists, so a link is never followed.
  const handle = await open(file, 'wx', 0o600);
  try {
    for await (const piece of content) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
}

function rejected({ path }: TarEntry, why: string): ImageStoreError {
  return new ImageStoreError({ what: `cannot unpack ${path} from the image`, why });
}
