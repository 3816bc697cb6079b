import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from '../../images/image-manifest.ts';
import { pathInRoot } from '../../images/path-in-root.ts';
import type { ContainerRequest } from '../driver.ts';
import { ContainerUserError } from '../process/container-user.ts';

/** The user of a container, with the ids that the container's programs see. */
export interface ImageUser {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups. */
  readonly groups: readonly number[];
  readonly home: string;
}

/** Contents of the image's `/etc/passwd` and `/etc/group`. */
export interface UserDatabase {
  readonly passwd: string;
  readonly group: string;
}

/** Number of ids that a container can use. */
export const idCount = 65_536;

/**
 * Returns the user that the pod requests, or else the image's user. Names are looked up in the image.
 *
 * @throws ContainerUserError if the image has no user of that name, or if the user is root although the pod forbids it
 */
export function imageUser(
  { config = {} }: ImageConfig,
  { database, wanted }: { readonly database: UserDatabase; readonly wanted: ContainerRequest['securityContext'] },
): ImageUser {
  const { runAsUser, runAsGroup, groups: ofPod = [] } = wanted;
  const [user = '', group] = runAsUser === undefined ? (config.User ?? '').split(':') : [`${runAsUser}`];
  const users = linesOf(database.passwd);
  const groups = linesOf(database.group);
  const known = users.find(([name, , id]) => name === (user || 'root') || id === (user || '0'));
  const uid = user === '' ? 0 : idOf(user, known?.[2]);
  if (uid === undefined) throw unknown('user', { name: user, file: 'passwd' });
  if (wanted.runAsNonRoot && uid === 0) {
    const what =
      runAsUser === 0
        ? "container's runAsUser breaks non-root policy"
        : 'container has runAsNonRoot and image will run as root';
    throw new ContainerUserError({ what });
  }
  const named = group === undefined ? undefined : idOf(group, groups.find(([name]) => name === group)?.[2]);
  if (group !== undefined && named === undefined) throw unknown('group', { name: group, file: 'group' });
  const gid = runAsGroup ?? named ?? Number(known?.[3] ?? 0);
  const ofImage = groups.flatMap(([, , id, members = '']) =>
    known?.[0] !== undefined && members.split(',').includes(known[0]) ? [Number(id)] : [],
  );
  const all = [...new Set([...ofImage, ...ofPod])].filter((one) => one !== gid);
  const tooLarge = [uid, gid, ...all].find((id) => id >= idCount);
  if (tooLarge !== undefined) {
    throw new ContainerUserError({
      what: `containers cannot use the user or group ID ${tooLarge} on this node: IDs must be below ${idCount}`,
    });
  }
  return { uid, gid, groups: all, home: known?.[5] || '/' };
}

/** Reads the user database of an image. A missing file counts as empty. */
export function userDatabase(root: string): UserDatabase {
  return { passwd: read(root, '/etc/passwd'), group: read(root, '/etc/group') };
}

function unknown(what: string, { name, file }: { readonly name: string; readonly file: string }): ContainerUserError {
  return new ContainerUserError({ what: `unable to find ${what} ${name}: no matching entries in ${file} file` });
}

function idOf(name: string, found: string | undefined): number | undefined {
  if (/^\d+$/.test(name)) return Number(name);
  return found === undefined ? undefined : Number(found);
}

function linesOf(text: string): readonly (readonly string[])[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'));
}

function read(root: string, path: string): string {
  try {
    return readFileSync(join(root, pathInRoot(root, path)), 'utf8');
  } catch {
    // The image has no such file.
    return '';
  }
}
