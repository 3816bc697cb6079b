import { readFileSync } from 'node:fs';

/** Whom a container's process runs as; `undefined` means as the agent itself. */
export interface ContainerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The container asks for a user that it cannot have here. */
class ContainerUserError extends Error {
  readonly code = 'KW5202';

  constructor(message: string) {
    super(message);
    this.name = 'ContainerUserError';
  }
}

/**
 * Decides whom a container runs as. An agent that is root runs containers as `nobody` (PostgreSQL, for one, refuses to
 * run as root) unless the pod names a user; root itself must be allowed explicitly. An agent that is not root can run
 * containers only as itself, so a pod's `runAsUser` is not obeyed there.
 *
 * @throws {@link ContainerUserError} for uid 0 without permission, or a uid that the system does not know.
 */
export function containerUser(options: {
  readonly agentUid: number | undefined;
  readonly runAsUser: number | undefined;
  readonly runAsGroup: number | undefined;
  readonly allowRoot: boolean;
  /** Text of the user database. @defaultValue that of `/etc/passwd` */
  readonly passwd?: string;
}): ContainerUser | undefined {
  const { agentUid, runAsUser, runAsGroup, allowRoot } = options;
  if (agentUid !== 0) return undefined;
  if (runAsUser === 0 && !allowRoot) {
    throw new ContainerUserError(
      'containers may not run as uid 0 on this node; start it with --allow-root-pods to let them',
    );
  }
  const users = readUsers(options.passwd ?? readFileSync('/etc/passwd', 'utf8'));
  const wanted = runAsUser ?? users.find(({ name }) => name === 'nobody')?.uid;
  const user = users.find(({ uid }) => uid === wanted);
  if (user === undefined) {
    throw new ContainerUserError(
      wanted === undefined
        ? 'this system has no user "nobody" to run containers as; set securityContext.runAsUser to one that it has'
        : `uid ${wanted} is not in this system's user database, without which programs such as initdb refuse to run; use one that is`,
    );
  }
  return { uid: user.uid, gid: runAsGroup ?? user.gid };
}

function readUsers(passwd: string): readonly { readonly name: string; readonly uid: number; readonly gid: number }[] {
  return passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
