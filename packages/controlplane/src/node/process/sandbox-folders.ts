import { chmodSync, existsSync, lchownSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { ContainerUser } from './container-user.ts';
import { writeOwner } from './sandbox-owner.ts';

/**
 * Where containers live on disk: one folder below the system's temporary one, short (socket paths are limited) and
 * enterable by whomever containers run as; each container's own part is readable by its user only.
 */
export class SandboxFolders {
  readonly root: string;

  /**
   * @param temporary - the system's folder for temporary files.
   * @param instance - mark of the processes that live here.
   */
  constructor(temporary: string, instance: string) {
    this.root = mkdtempSync(join(temporary, 'kw-'));
    writeOwner(this.root, instance);
    // Others may pass through, not look: each container's folder below belongs to its own user.
    chmodSync(this.root, 0o711);
  }

  /** Makes a pod's folder. */
  pod(uid: string): string {
    const path = join(this.root, shortName(uid));
    mkdirSync(path, { recursive: true, mode: 0o711 });
    chmodSync(path, 0o711);
    return path;
  }

  /** Makes the folder in which persistent volumes lie: they outlive pods, not this object. */
  claims(): string {
    // No pod's folder can have that name: those are hexadecimal digits.
    const path = join(this.root, 'volumes');
    mkdirSync(path, { recursive: true, mode: 0o711 });
    chmodSync(path, 0o711);
    return path;
  }

  /** Makes an empty folder for programs that everybody may run. */
  programs(): string {
    const path = mkdtempSync(join(this.root, 'programs-'));
    chmodSync(path, 0o755);
    return path;
  }

  /** Makes a folder below a pod's that only `user` can read. */
  owned(path: string, user: ContainerUser | undefined): string {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    // Never through a link that took the folder's place.
    if (user) lchownSync(path, user.uid, user.gid);
    return path;
  }

  /** Makes a folder and what leads to it, all of it the user's; what is there already, or leads elsewhere, stays as it is. */
  ownedPath(path: string, user: ContainerUser | undefined): string {
    if (existsSync(path)) return path;
    const parent = this.ownedPath(dirname(path), user);
    // A link that a container made must not lead our hand out of the sandboxes.
    if (!realpathSync(parent).startsWith(realpathSync(this.root) + sep)) return path;
    return this.owned(path, user);
  }

  removePod(uid: string): void {
    rmSync(join(this.root, shortName(uid)), { recursive: true, force: true });
  }

  remove(): void {
    removeSandboxes(this.root);
  }
}

/** Removes a sandbox folder that {@link SandboxFolders} made, now or in an earlier run; refuses anything else. */
export function removeSandboxes(root: string): void {
  if (!/(^|[/\\])kw-[A-Za-z0-9]{6}$/.test(root)) return;
  try {
    // Never follows a link that somebody put in the folder's place.
    if (!lstatSync(root).isDirectory()) return;
  } catch {
    // Gone already.
    return;
  }
  rmSync(root, { recursive: true, force: true });
}

function shortName(uid: string): string {
  return uid.replaceAll('-', '').slice(0, 12);
}
