import { chmod, chown, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PinnedPath } from '../pinned-path.ts';

/** The mode bits that a group needs, and those that it needs of folders: the kubelet's `rwMask` and `execMask`. */
const groupMode = 0o060;
const groupFolderMode = 0o010;
const ownerMode = 0o600;
const ownerFolderMode = 0o100;
const setGroupId = 0o2000;

/** Changes of the owners in a persistent volume. */
export interface OwnerChanges {
  /** The user who becomes the owner of everything that the previous owner of the volume's folder owned. */
  readonly uid?: number | undefined;
  /** The group that can read and write everything afterwards, as with a kubelet. */
  readonly fsGroup?: number | undefined;
  /** `OnRootMismatch` skips the group if the volume's folder already has it, and its permissions. @defaultValue Always */
  readonly fsGroupChangePolicy?: string | undefined;
}

/**
 * Changes the owners in a persistent volume, as a kubelet changes its group. Volumes are not mounted, so changing the user is the only
 * way to let the next pod read the data. PostgreSQL also accepts only data owned by its own user. Files of other users keep their
 * user. Does nothing if the folder does not exist. Never follows links, even if containers create them in the meantime.
 */
export async function changeOwners(folder: string, changes: OwnerChanges): Promise<void> {
  const root = opened(folder);
  if (!root) return;
  using _ = root;
  if (!root.stats.isDirectory()) return;
  const { uid, fsGroup, fsGroupChangePolicy } = changes;
  const users = uid === undefined || root.stats.uid === uid ? undefined : { from: root.stats.uid, to: uid };
  const isMatch = fsGroup !== undefined && fsGroupChangePolicy === 'OnRootMismatch' && hasGroup(root, fsGroup);
  const gid = isMatch ? undefined : fsGroup;
  if (users || gid !== undefined) await change(root, { users, gid });
}

interface Change {
  readonly users: { readonly from: number; readonly to: number } | undefined;
  readonly gid: number | undefined;
}

/** Returns true if a folder's group and permissions are those that `fsGroup` sets: the kubelet's `requiresPermissionChange`. */
function hasGroup({ stats }: PinnedPath, gid: number): boolean {
  const needed = ownerMode | ownerFolderMode | groupMode | groupFolderMode | setGroupId;
  return stats.gid === gid && (stats.mode & needed) === needed;
}

async function change(file: PinnedPath, wanted: Change): Promise<void> {
  if (file.stats.isDirectory()) {
    for (const name of await readdir(file.path)) {
      const path = join(file.path, name);
      const child = opened(path);
      // A link, or a file that was removed after the folder was read.
      if (!child) await changeLink(path, wanted);
      else {
        using _ = child;
        await change(child, wanted);
      }
    }
  }
  // Change a folder after its content, so that the next call repeats an interrupted change.
  const { uid, gid, mode } = file.stats;
  const owner = { uid: userOf(uid, wanted), gid: wanted.gid ?? gid };
  if (owner.uid !== uid || owner.gid !== gid) await chown(file.path, owner.uid, owner.gid);
  if (wanted.gid === undefined) return;
  const ofFolder = ownerFolderMode | groupFolderMode | setGroupId;
  await chmod(file.path, (mode & 0o7777) | ownerMode | groupMode | (file.stats.isDirectory() ? ofFolder : 0));
}

async function changeLink(path: string, wanted: Change): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  const uid = userOf(found.uid, wanted);
  const gid = wanted.gid ?? found.gid;
  if (uid !== found.uid || gid !== found.gid) await lchown(path, uid, gid).catch(ignoreMissing);
}

function userOf(uid: number, { users }: Change): number {
  return users?.from === uid ? users.to : uid;
}

function opened(path: string): PinnedPath | undefined {
  try {
    return new PinnedPath(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ELOOP') return undefined;
    throw error;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
