import { existsSync } from 'node:fs';

/** Turns a command into one that runs as a user with further groups. */
export type GrantGroups = (
  command: readonly string[],
  user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] },
) => readonly string[];

const places = ['/usr/bin/setpriv', '/bin/setpriv'];

/**
 * Answers how processes get groups besides their first, which Node cannot give them: with util-linux's `setpriv`;
 * `undefined` where that is missing.
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
