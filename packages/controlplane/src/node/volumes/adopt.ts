import { lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Gives a folder of a persistent volume to another user, with all in it that was its former owner's: without a mount there
 * is no other way to let the next pod read it, and PostgreSQL accepts only data that is its own user's. Files of others stay
 * theirs. Does nothing if that user owns the folder already, or if it does not exist.
 */
export async function adopt(folder: string, uid: number): Promise<void> {
  const found = await lstat(folder).catch(() => undefined);
  if (!found?.isDirectory() || found.uid === uid) return;
  await give(folder, { from: found.uid, to: uid });
}

async function give(folder: string, owner: { readonly from: number; readonly to: number }): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Undefined if it was removed since the folder was read.
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory()) await give(path, owner);
    // Never through a link.
    else if (found?.uid === owner.from) await lchown(path, owner.to, found.gid);
  }
  const found = await lstat(folder);
  // Last: a change that was cut short begins again from here.
  if (found.isDirectory() && found.uid === owner.from) await lchown(folder, owner.to, found.gid);
}
