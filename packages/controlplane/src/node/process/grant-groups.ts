import { existsSync } from 'node:fs';

/** Wraps a command so that it runs as a user with supplementary groups. */
export type GrantGroups = (
  command: readonly string[],
  user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] },
) => readonly string[];

const places = ['/usr/bin/setpriv', '/bin/setpriv'];

/**
 * Returns a function that gives processes supplementary groups with util-linux's `setpriv`, because Node cannot.
 * Returns `undefined` if `setpriv` is missing.
 */
export function groupGranter(
  platform: NodeJS.Platform,
  exists: (path: string) => boolean = existsSync,
): GrantGroups | undefined {
  const setpriv = platform === 'linux' ? places.find(exists) : undefined;
  if (setpriv === undefined) return undefined;
  return (command, { uid, gid, groups }) => [
    setpriv,
    `--reuid=${uid}`,
    `--regid=${gid}`,
    `--groups=${groups.join()}`,
    '--',
    ...command,
  ];
}
