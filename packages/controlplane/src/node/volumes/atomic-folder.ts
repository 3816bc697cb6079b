import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { removeFolder } from '../pinned-path.ts';

/** A file of a volume that is generated from objects. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** The owner of files; `undefined` means this process's user. */
export type FileOwner =
  | {
      readonly uid: number;
      readonly gid: number;
      /** True if the group may read as well. @defaultValue only the user may */
      readonly shared?: boolean;
    }
  | undefined;

/** Returns the mode of folders for an owner. */
function folderMode(owner: FileOwner): number {
  return owner?.shared ? 0o750 : 0o700;
}

/**
 * Replaces a folder's content with exactly these files, atomically: the files are written to a new version, then the link
 * `..data` is swapped, so a reader sees either the old set or the new set. Mirrors the kubelet's `AtomicWriter`. Returns false if
 * nothing has changed.
 *
 * The folder belongs to the containers' user, who may put links anywhere in it; its parent must belong to this process alone.
 * Files are therefore written and wiped in the parent and only moved in and out.
 */
export function writeAtomically(folder: string, given: ReadonlyMap<string, VolumeFile>, owner: FileOwner): boolean {
  const files = new Map(
    [...given].map(([path, { bytes, mode }]) => [path, { bytes, mode: (mode | (owner?.shared ? 0o440 : 0)) & 0o777 }]),
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, folderMode(owner));
  own(folder, owner);
  const current = currentFolder(folder);
  if (current !== undefined && holdsExactly(current, files)) return false;
  const staging = mkdtempSync(join(dirname(folder), '.w_'));
  const next = join(staging, 'next');
  mkdirSync(next);
  // Without a common owner, every container's user must be able to enter.
  chmodSync(next, owner ? folderMode(owner) : 0o755);
  own(next, owner);
  for (const [path, { bytes, mode }] of files) {
    const file = join(next, path);
    makeFolders(next, { path: dirname(path), owner });
    writeFileSync(file, bytes, { mode: 0o600 });
    chmodSync(file, mode);
    own(file, owner);
  }
  const version = `..v_${basename(staging).slice('.w_'.length)}`;
  renameSync(next, join(folder, version));
  const link = join(folder, '..data_tmp');
  rmSync(link, { force: true });
  symlinkSync(version, link);
  renameSync(link, join(folder, '..data'));
  linkTopLevel(folder, files);
  if (current !== undefined) renameSync(current, join(staging, 'old'));
  // Does not overwrite the old files: a container that mounts a file by `subPath` keeps its old content, as with a kubelet.
  removeFolder(staging);
  return true;
}

/**
 * Files larger than any object's content are removed without being overwritten first, because that would take too long.
 */
const maxOverwrittenBytes = 2 * 1024 * 1024;

/** Overwrites and removes a folder that may contain secrets, even while containers change it. */
export function wipe(folder: string): void {
  removeFolder(folder, { beforeFile: overwrite });
}

function overwrite(file: string): void {
  // Root can write regardless of the mode. As root, chmod could change the mode of a link's target.
  if (process.getuid?.() !== 0) chmodSync(file, 0o600);
  const { O_WRONLY, O_NONBLOCK = 0 } = constants;
  const descriptor = openSync(file, O_WRONLY | O_NONBLOCK);
  try {
    const { size } = fstatSync(descriptor);
    if (size <= maxOverwrittenBytes) writeSync(descriptor, Buffer.alloc(size));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the version that `..data` links to. Containers can change the link, so other targets are ignored. */
function currentFolder(folder: string): string | undefined {
  try {
    const version = readlinkSync(join(folder, '..data'));
    const path = join(folder, version);
    return /^\.\.v_\w{6}$/.test(version) && lstatSync(path).isDirectory() ? path : undefined;
  } catch {
    // The folder is written for the first time.
    return undefined;
  }
}

function holdsExactly(folder: string, files: ReadonlyMap<string, VolumeFile>): boolean {
  let count = 0;
  for (const path of filesBelow(folder)) {
    const expected = files.get(relative(folder, path));
    count++;
    if (!expected || !holdsFile(path, expected)) return false;
  }
  return count === files.size;
}

/**
 * True if the file has the expected content and mode. Containers may grow or replace the file at any time, so this reads no more
 * than the expected content and never waits.
 */
function holdsFile(path: string, { bytes, mode }: VolumeFile): boolean {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    // The file was replaced, removed or made unreadable.
    return false;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size !== bytes.length || (stats.mode & 0o777) !== mode) return false;
    const present = Buffer.alloc(bytes.length);
    return readSync(file, present) === bytes.length && present.equals(bytes);
  } finally {
    closeSync(file);
  }
}

function* filesBelow(folder: string): Generator<string> {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    // Already removed.
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function makeFolders(root: string, options: { readonly path: string; readonly owner: FileOwner }): void {
  let folder = root;
  for (const part of options.path.split('/').filter((name) => name !== '.' && name !== '')) {
    folder = join(folder, part);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, folderMode(options.owner));
    own(folder, options.owner);
  }
}

function linkTopLevel(folder: string, files: ReadonlyMap<string, VolumeFile>): void {
  const wanted = new Set([...files.keys()].map((path) => path.split('/')[0] ?? path));
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith('..') && !wanted.has(entry)) rmSync(join(folder, entry), { force: true });
  }
  for (const name of wanted) {
    const link = join(folder, name);
    try {
      readlinkSync(link);
    } catch {
      // The link does not exist yet.
      symlinkSync(join('..data', name), link);
    }
  }
}

function own(path: string, owner: FileOwner): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}
