import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A file of a volume that is made from objects. */
export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** The owner of files; `undefined` leaves them to this process's user. */
export type FileOwner =
  | {
      readonly uid: number;
      readonly gid: number;
      /** The group may read as well. @defaultValue only the user may */
      readonly shared?: boolean;
    }
  | undefined;

/** Mode of folders for an owner. */
function folderMode(owner: FileOwner): number {
  return owner?.shared ? 0o750 : 0o700;
}

/**
 * Makes a folder hold exactly these files, all at once: they are written beside, then the link `..data` is swapped, so
 * that a reader sees the old set or the new one. Mirrors the kubelet's `AtomicWriter`. Answers false when nothing differed.
 *
 * The folder belongs to whom it is made for, who may put links anywhere in it; the one around it must be ours alone. So
 * files are written and wiped there, and only moved in and out.
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
  // Without one owner, every container's user has to get in.
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
  wipe(staging);
  return true;
}

/** Files larger than any object's content are removed without being overwritten, which would take long. */
const MAX_OVERWRITTEN_BYTES = 2 * 1024 * 1024;

/** Overwrites and removes a folder that may hold secrets. */
export function wipe(folder: string): void {
  for (const file of filesBelow(folder)) {
    try {
      overwrite(file);
    } catch {
      // It was removed first: nothing is left to overwrite.
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

function overwrite(file: string): void {
  // Root may write whatever the mode is, and must not change the mode of what a link leads to.
  if (process.getuid?.() !== 0) chmodSync(file, 0o600);
  const { O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const descriptor = openSync(file, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = fstatSync(descriptor);
    if (size <= MAX_OVERWRITTEN_BYTES) writeSync(descriptor, Buffer.alloc(size));
  } finally {
    closeSync(descriptor);
  }
}

/** The version that `..data` leads to, if it is one that we made: containers can make that link lead anywhere. */
function currentFolder(folder: string): string | undefined {
  try {
    const version = readlinkSync(join(folder, '..data'));
    const path = join(folder, version);
    return /^\.\.v_\w{6}$/.test(version) && lstatSync(path).isDirectory() ? path : undefined;
  } catch {
    // Written for the first time.
    return undefined;
  }
}

function holdsExactly(folder: string, files: ReadonlyMap<string, VolumeFile>): boolean {
  const present = filesBelow(folder);
  if (present.length !== files.size) return false;
  return [...files].every(([path, { bytes, mode }]) => {
    const file = join(folder, path);
    return (
      present.includes(file) &&
      (statSync(file).mode & 0o777) === mode &&
      Buffer.compare(readFileSync(file), bytes) === 0
    );
  });
}

function filesBelow(folder: string): readonly string[] {
  let entries: readonly string[];
  try {
    entries = readdirSync(folder);
  } catch {
    // Gone already.
    return [];
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry);
    const found = lstatSync(path);
    if (found.isDirectory()) return filesBelow(path);
    return found.isFile() ? [path] : [];
  });
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
      // Not there yet.
      symlinkSync(join('..data', name), link);
    }
  }
}

function own(path: string, owner: FileOwner): void {
  if (owner) chownSync(path, owner.uid, owner.gid);
}
