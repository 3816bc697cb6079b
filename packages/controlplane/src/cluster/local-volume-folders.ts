import { existsSync } from 'node:fs';
import { chmod, cp, lchown, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import type { VolumeFolders } from '../controllers/local-volumes/index.ts';

/** Thrown if a path is not the folder of one of the cluster's volumes. */
class VolumeFolderError extends KubewrightError {
  override readonly name = 'VolumeFolderError';
  readonly code = 'KW5505';
}

/** Folders of local volumes below one root, which the users of containers can enter but not list. */
export class LocalVolumeFolders implements VolumeFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  pathOf(node: string, volume: string): string {
    return join(this.root, node, volume);
  }

  async create(path: string, { copyOf }: { readonly copyOf?: string | undefined }): Promise<void> {
    const folder = this.#own(path);
    if (existsSync(folder)) return;
    const parent = join(folder, '..');
    await mkdir(parent, { recursive: true, mode: 0o711 });
    for (const each of [this.root, parent]) await chmod(each, 0o711);
    if (copyOf === undefined) {
      await mkdir(folder, { mode: 0o700 });
      return;
    }
    // The folder gets its final name only once it is complete, so an interrupted copy starts again.
    const partial = `${folder}.partial`;
    await rm(partial, { recursive: true, force: true });
    await cp(this.#own(copyOf), partial, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    if (process.getuid?.() === 0) await copyOwners(this.#own(copyOf), partial);
    await rename(partial, folder);
  }

  async remove(path: string): Promise<void> {
    const folder = this.#own(path);
    await rm(folder, { recursive: true, force: true });
    await rm(`${folder}.partial`, { recursive: true, force: true });
  }

  /**
   * Returns the absolute path of a volume's folder. @throws VolumeFolderError for a path that is not the folder of a volume, such
   * as a path that a user wrote into a PersistentVolume.
   */
  #own(path: string): string {
    const folder = resolve(path);
    const steps = folder.startsWith(this.root + sep) ? folder.slice(this.root.length + 1).split(sep) : [];
    if (steps.length === 2) return folder;
    throw new VolumeFolderError({
      what: `${path} is not the folder of a local volume`,
      why: `this cluster keeps its local volumes in ${this.root}`,
      remedy: 'delete the PersistentVolume manually: remove the finalizers, then delete the data',
    });
  }
}

/**
 * Gives a copied folder and its content the owners of the original. `cp` never preserves the owners of folders, and
 * preserves the owners of files only in newer versions of Node.js (24, not 20). Without the owners, the node could not
 * tell whose files the copy contains.
 */
async function copyOwners(from: string, to: string): Promise<void> {
  for (const entry of await readdir(to, { withFileTypes: true })) {
    const [original, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyOwners(original, copy);
    else await copyOwner(original, copy);
  }
  // Change the folder last, so its new owner cannot modify the copy before it is complete.
  await copyOwner(from, to);
}

async function copyOwner(from: string, to: string): Promise<void> {
  // Undefined if the original was removed after it was copied.
  const original = await lstat(from).catch(() => undefined);
  // Never follows a link.
  if (original) await lchown(to, original.uid, original.gid);
}

/** Volume folders of simulated nodes. They have paths but are never created, because nothing runs there. */
export const simulatedVolumeFolders: VolumeFolders = {
  pathOf: (_node, volume) => `/var/lib/kubewright/volumes/${volume}`,
  create: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};
