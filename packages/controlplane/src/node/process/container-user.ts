import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Whom a container's process runs as; `undefined` means as the agent itself. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Further groups. */
  readonly groups?: readonly number[];
}

/** The container asks for a user that it cannot have here. */
class ContainerUserError extends Error {
  readonly code = 'KW5202';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ContainerUserError';
  }
}

/** Whom a container asks to run as. */
export interface WantedUser {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  /** The pod's fsGroup and supplementalGroups. */
  readonly groups?: readonly number[] | undefined;
}

/**
 * Decides whom a container runs as. An agent that is root runs containers as `nobody` (PostgreSQL, for one, refuses to
 * run as root) unless the pod names a user; the user and group 0 must be allowed explicitly. A uid without an entry in the
 * user database is taken as it is, with nobody's group unless the pod names one (a real node would give it group 0). An
 * agent that is not root can run containers only as itself, so what a pod says of users and groups is not obeyed there.
 *
 * @throws {@link ContainerUserError} for uid or gid 0 without permission, or when there is nobody to run as.
 */
export function containerUser(
  wanted: WantedUser,
  options: {
    readonly agentUid: number | undefined;
    readonly allowRoot: boolean;
    /** Whether processes can get further groups. */
    readonly canGrantGroups: boolean;
    /** Text of the user database. @defaultValue that of `/etc/passwd` */
    readonly passwd?: string;
  },
): ContainerUser | undefined {
  const { agentUid, allowRoot, canGrantGroups } = options;
  const { runAsUser, runAsGroup, groups = [] } = wanted;
  if (agentUid !== 0) return undefined;
  if (!allowRoot && [runAsUser, runAsGroup, ...groups].includes(0)) {
    const what = runAsUser === 0 ? 'uid' : 'gid';
    throw new ContainerUserError(
      `containers may not run as ${what} 0 on this node; start it with --allow-root-pods to let them`,
    );
  }
  const users = readUsers(options.passwd ?? readFileSync('/etc/passwd', 'utf8'));
  const nobody = users.find(({ name }) => name === 'nobody');
  const uid = runAsUser ?? nobody?.uid;
  if (uid === undefined) {
    throw new ContainerUserError(
      'this system has no user "nobody" to run containers as; set securityContext.runAsUser to one that it has',
    );
  }
  const user = users.find((one) => one.uid === uid);
  const gid = runAsGroup ?? user?.gid ?? nobody?.gid ?? uid;
  const more = canGrantGroups ? [...new Set(groups)].filter((group) => group !== gid) : [];
  return { uid, gid, ...(more.length > 0 && { groups: more }) };
}

/**
 * Makes sure that the user database knows a user, for a program that fails otherwise. Asked of the system itself, which
 * knows more users than its file of them.
 *
 * @throws {@link ContainerUserError} when it does not.
 */
export async function requireKnownUser(program: string, user: ContainerUser | undefined): Promise<void> {
  try {
    await promisify(execFile)('id', ['-un'], { ...(user && { uid: user.uid, gid: user.gid }), timeout: 5_000 });
  } catch (error) {
    // Its exit code; everything else says nothing of the user.
    if (typeof (error as { readonly code?: unknown }).code !== 'number') return;
    throw new ContainerUserError(
      `uid ${user?.uid ?? process.getuid?.()} is not in this system's user database, without which ${program} refuses to run; ${user ? 'set securityContext.runAsUser to one that is, or to none' : 'run this node as a user that is'}`,
      { cause: error },
    );
  }
}

function readUsers(passwd: string): readonly { readonly name: string; readonly uid: number; readonly gid: number }[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
