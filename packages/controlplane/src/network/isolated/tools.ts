import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of the programs that isolate pods: util-linux and iproute2. */
export interface IsolationTools {
  readonly unshare: string;
  readonly nsenter: string;
  readonly setpriv: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly ip: string;
  readonly sh: string;
}

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const names: Readonly<Record<keyof IsolationTools, string>> = {
  unshare: 'unshare',
  nsenter: 'nsenter',
  setpriv: 'setpriv',
  mount: 'mount',
  umount: 'umount',
  pivotRoot: 'pivot_root',
  ip: 'ip',
  sh: 'sh',
};

/** Finds the programs in the system's folders. Returns the missing ones if some are not installed. */
export function findTools(
  exists: (path: string) => boolean = existsSync,
): { readonly tools: IsolationTools } | { readonly missing: readonly string[] } {
  const found = Object.entries(names).map(([key, name]) => {
    return [key, folders.map((folder) => join(folder, name)).find(exists)] as const;
  });
  const missing = found.flatMap(([key, path]) => (path === undefined ? [names[key as keyof IsolationTools]] : []));
  // Every key has a path.
  return missing.length > 0 ? { missing } : { tools: Object.fromEntries(found) as unknown as IsolationTools };
}
