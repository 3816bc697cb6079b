import type { IsolationTools } from '../../../network/isolated/tools.ts';
import type { ContainerUser } from '../container-user.ts';

/**
 * Returns the command prefix that runs a command as the container's user in the container's namespaces. The prefix runs
 * only programs on this machine, because the container's files are not visible until the user is set.
 *
 * @param user - `undefined` if the agent is not root.
 * @param options - `own`: ids of this process; `enter`: nsenter and its options.
 */
export function joinAs(
  user: ContainerUser | undefined,
  options: {
    readonly tools: IsolationTools;
    readonly own: { readonly uid: number; readonly gid: number };
    readonly enter: readonly string[];
  },
): readonly string[] {
  const { tools, own, enter } = options;
  // An ordinary user is root in the cluster's user namespace; a nested namespace restores the user's own ids.
  if (!user) {
    const { uid, gid } = own;
    return [...enter, '--', tools.unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  }
  const groups = user.groups && user.groups.length > 0 ? `--groups=${user.groups.join()}` : '--clear-groups';
  // Otherwise a setuid program would load libraries from the container's files.
  const rights = user.uid === 0 ? [] : ['--no-new-privs'];
  const first = [tools.setpriv, `--regid=${user.gid}`, groups, ...rights, '--'];
  return [...first, ...enter, `--setuid=${user.uid}`, '--'];
}
