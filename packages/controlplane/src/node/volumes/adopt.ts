import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Changes the owner of a persistent volume's folder and of all its content that the previous owner owned. Volumes are
 * not mounted, so this is the only way to let the next pod read the data. PostgreSQL also accepts only data owned by
 * its own user. Files of other users are not changed. Does nothing if `uid` already owns the folder, or if the folder
 * does not exist.
 */
export async function adopt(folder: string, uid: number): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || found.uid === uid) return;
  await give(folder, { from: found.uid, to: uid });
}

async function give(folder: string, owner: { readonly from: number; readonly to: number }): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Undefined if the file was removed after the folder was read.
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) await give(path, owner);
    // Never follows a link.
    else if (found?.uid === owner.from) await lchown(path, owner.to, found.gid);
  }
  const found = await lstat(folder);
  // Change the folder itself last, so that the next call repeats an interrupted change.
  if (found.isDirectory() && found.uid === owner.from) await lchown(folder, owner.to, found.gid);
}
