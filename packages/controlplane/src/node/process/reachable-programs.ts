import { constants, statSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readlink, realpath, stat, symlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { ContainerUser } from './container-user.ts';

/**
 * Provides programs to users who cannot enter the programs' folders or read their scripts, such as a Git clone in
 * root's home or root's own Node. Such a program is copied once to a folder in which everyone can run it.
 */
export class ReachablePrograms {
  readonly #folder: () => string;
  readonly #copies = new Map<string, Promise<string>>();

  /** @param folder - creates a new empty folder that everyone can enter. */
  constructor(folder: () => string) {
    this.#folder = folder;
  }

  /** Ensures that `user` can run everything under `trees`. Returns a function that maps original paths to usable paths. */
  async for(trees: readonly string[], user: ContainerUser | undefined): Promise<(path: string) => string> {
    const moved: { readonly from: string; readonly to: string }[] = [];
    for (const from of trees) {
      if (user && !canUse(await realpath(from), user)) moved.push({ from, to: await this.#copy(from) });
    }
    return (path) => {
      const found = moved.find(({ from }) => path === from || path.startsWith(from + sep));
      return found ? found.to + path.slice(found.from.length) : path;
    };
  }

  #copy(from: string): Promise<string> {
    let copy = this.#copies.get(from);
    if (copy === undefined) {
      const to = join(this.#folder(), basename(from));
      copy = copyTree(from, to).then(() => to);
      this.#copies.set(from, copy);
      // A full disk may have space at the next attempt.
      copy.catch(() => this.#copies.delete(from));
    }
    return copy;
  }
}

/**
 * Returns true if a user may execute a file (or enter a folder) and enter all its parent folders. Read permission is not checked:
 * programs and folders do not need it, but the interpreter of a script does.
 */
export function canReach(path: string, user: ContainerUser): boolean {
  // Execute permission: it also allows entering a folder.
  if ((permissionsOf(path, user) & 0o1) === 0) return false;
  const parent = dirname(path);
  return parent === path || canReach(parent, user);
}

/** Returns true if a user may also read the file (or list the folder): a script needs this, and so does a folder of modules. */
function canUse(path: string, user: ContainerUser): boolean {
  return (permissionsOf(path, user) & 0o4) !== 0 && canReach(path, user);
}

/** Returns a user's permissions for a file or folder: 4 to read, 2 to write, 1 to execute or enter. */
function permissionsOf(path: string, user: ContainerUser): number {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid || user.groups?.includes(gid) ? 3 : 0;
  return (mode >> shift) & 0o7;
}

async function copyTree(from: string, to: string): Promise<void> {
  const { mode } = await stat(from);
  if ((mode & constants.S_IFMT) !== constants.S_IFDIR) {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    return chmod(to, mode & 0o111 ? 0o755 : 0o644);
  }
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    // Links between libraries are relative and remain so.
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await copyTree(source, target);
  }
}
