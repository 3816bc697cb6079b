import { readFileSync } from 'node:fs';

/** Whom a container's process runs as; `undefined` means as the agent itself. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
  /** Further groups. */
  readonly groups?: readonly number[];
  /** It has no entry in the system's user database, without which some programs refuse to run. */
  readonly unknown?: true;
}

/** The container asks for a user that it cannot have here. */
export class ContainerUserError extends Error {
  readonly code = 'KW5202';

  constructor(message: string) {
    super(message);
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
  return { uid, gid, ...(more.length > 0 && { groups: more }), ...(user === undefined && { unknown: true }) };
}

function readUsers(passwd: string): readonly { readonly name: string; readonly uid: number; readonly gid: number }[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
