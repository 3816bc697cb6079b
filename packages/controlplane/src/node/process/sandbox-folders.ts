import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { PinnedPath, removeFolder } from '../pinned-path.ts';
import { removeTree } from '../remove-tree.ts';
import type { ContainerUser } from './container-user.ts';
import { writeOwner } from './sandbox-owner.ts';

/**
 * The containers' folders on disk. All of them are in one folder below the system's temporary folder. This folder has a
 * short path, because socket paths are limited, and the containers' users can enter it. Each container's own folder is
 * readable only by its user.
 */
export class SandboxFolders {
  readonly root: string;

  /**
   * @param temporary - the system's folder for temporary files.
   * @param instance - mark of the processes that use the sandbox folders.
   */
  constructor(temporary: string, instance: string) {
    this.root = mkdtempSync(join(temporary, 'kw-'));
    writeOwner(this.root, instance);
    // Others may traverse the folder but not list it; each container's folder in it belongs to its own user.
    chmodSync(this.root, 0o711);
  }

  /** Creates a pod's folder. */
  pod(uid: string): string {
    const path = join(this.root, shortName(uid));
    mkdirSync(path, { recursive: true, mode: 0o711 });
    chmodSync(path, 0o711);
    return path;
  }

  /** Creates the folder for persistent volumes, which outlive pods but not this object. */
  volumes(): string {
    // This folder cannot collide with a pod's folder, whose name has only hexadecimal digits.
    const path = join(this.root, 'volumes');
    mkdirSync(path, { recursive: true, mode: 0o711 });
    chmodSync(path, 0o711);
    return path;
  }

  /** Creates an empty folder for programs that everyone may run. */
  programs(): string {
    const path = mkdtempSync(join(this.root, 'programs-'));
    chmodSync(path, 0o755);
    return path;
  }

  /** Creates a folder under a pod's folder that only `user` can read. */
  owned(path: string, user: ContainerUser | undefined): string {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Never follows a link that replaced the folder.
    if (user) lchownSync(path, user.uid, user.gid);
    return path;
  }

  /**
   * Creates a folder in a volume or in a container's own folder, and its missing parents, all owned by the user. Leaves existing
   * folders, folders outside the sandboxes and paths that lead through broken links unchanged.
   */
  ownedPath(
    { volume, below }: { readonly volume: string; readonly below: string },
    user: ContainerUser | undefined,
  ): string {
    const path = join(volume, below);
    if (existsSync(path) || !realpathSync(volume).startsWith(realpathSync(this.root) + sep)) return path;
    try {
      const make = (missing: string): void => void this.owned(missing, user);
      PinnedPath.within(volume, { below, make })[Symbol.dispose]();
    } catch (error) {
      // The command will fail because its folder is missing.
      if (!['ELOOP', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
    return path;
  }

  removePod(uid: string): void {
    removeFolder(join(this.root, shortName(uid)));
  }

  remove(): void {
    removeSandboxes(this.root);
  }
}

/** Removes a sandbox folder created by {@link SandboxFolders}, now or in an earlier run. Ignores all other paths. */
export function removeSandboxes(root: string): void {
  if (!/(^|[/\\])kw-[A-Za-z0-9]{6}$/.test(root)) return;
  try {
    // Never follows a link that replaced the folder.
    if (!lstatSync(root).isDirectory()) return;
  } catch {
    // Already removed.
    return;
  }
  removeTree(root);
}

function shortName(uid: string): string {
  return uid.replaceAll('-', '').slice(0, 12);
}
