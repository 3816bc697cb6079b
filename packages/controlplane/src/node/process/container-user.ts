import { readFileSync } from 'node:fs';
import { KubewrightError } from '@kubewright/apimachinery';
import type { PodUser } from './pod-users.ts';

/** The user of a container's process; `undefined` means the agent's own user. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups. */
  readonly groups?: readonly number[];
}

/** Thrown if a container requests a user that is not available on this node. */
export class ContainerUserError extends KubewrightError {
  override readonly name = 'ContainerUserError';
  readonly code = 'KW5202';
}

/** The user that a container requests. */
export interface RequestedUser {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  /** The pod's fsGroup and supplementalGroups. */
  readonly groups?: readonly number[] | undefined;
}

/**
 * Returns the user that a container runs as. If the agent is root, this is the user that the pod requests, or else the user
 * assigned to the pod (`nobody` if none is assigned); uid and gid 0 must be allowed explicitly. A requested uid without an entry
 * in the user database is used unchanged, with the group assigned to the pod unless the pod requests one (a real node would use
 * group 0). All containers of a pod are in its assigned group, so they can share its volumes. An agent that is not root can run
 * containers only as itself, and ignores the users and groups that pods request.
 *
 * @throws {@link ContainerUserError} for uid or gid 0 without permission, or if no user is available.
 */
export function containerUser(
  wanted: RequestedUser,
  options: {
    readonly agentUid: number | undefined;
    readonly allowRoot: boolean;
    /** True if processes can get supplementary groups. */
    readonly canGrantGroups: boolean;
    /** The user assigned to the pod. @defaultValue `nobody` */
    readonly podUser?: PodUser | undefined;
    /** Content of the user database. @defaultValue the content of `/etc/passwd` */
    readonly passwd?: string;
  },
): ContainerUser | undefined {
  const { agentUid, allowRoot, canGrantGroups } = options;
  const { runAsUser, runAsGroup, groups = [] } = wanted;
  if (agentUid !== 0) return undefined;
  if (!allowRoot && [runAsUser, runAsGroup, ...groups].includes(0)) {
    const what = runAsUser === 0 ? 'uid' : 'gid';
    throw new ContainerUserError({
      what: `containers cannot run as ${what} 0 on this node; to allow root containers, start the node with --allow-root-pods`,
    });
  }
  const users = readUsers(options.passwd);
  const { podUser } = options;
  const own = podUser ?? nobodyOf(users);
  const uid = runAsUser ?? own?.uid;
  if (uid === undefined) {
    throw new ContainerUserError({
      what: 'user "nobody", the default for containers, does not exist on this system; set securityContext.runAsUser to an existing uid',
    });
  }
  const user = uid === own?.uid ? own : users.find((one) => one.uid === uid);
  const gid = runAsGroup ?? user?.gid ?? own?.gid ?? uid;
  const wantedGroups = podUser ? [...groups, podUser.gid] : groups;
  const more = canGrantGroups ? [...new Set(wantedGroups)].filter((group) => group !== gid) : [];
  return { uid, gid, ...(more.length > 0 && { groups: more }) };
}

/** Returns the system's user `nobody`. */
export function nobody(passwd?: string): ContainerUser | undefined {
  return nobodyOf(readUsers(passwd));
}

interface User extends PodUser {
  readonly name: string;
}

function nobodyOf(users: readonly User[]): ContainerUser | undefined {
  const found = users.find(({ name }) => name === 'nobody');
  return found && { uid: found.uid, gid: found.gid };
}

function readUsers(passwd?: string): readonly User[] {
  return (passwd ?? readPasswd())
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    // Minimal systems have no user database.
    return '';
  }
}
