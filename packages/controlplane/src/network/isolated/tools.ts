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
  /** Restricts the traffic of pods; `undefined` if nftables is not installed. */
  readonly nft: string | undefined;
}

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const names: Readonly<Record<Exclude<keyof IsolationTools, 'nft'>, string>> = {
  unshare: 'unshare',
  nsenter: 'nsenter',
  setpriv: 'setpriv',
  mount: 'mount',
  umount: 'umount',
  pivotRoot: 'pivot_root',
  ip: 'ip',
  sh: 'sh',
};

/** Finds the programs in the system's folders. Returns the names of the missing programs if some are not installed. */
export function findTools(
  exists: (path: string) => boolean = existsSync,
): { readonly tools: IsolationTools } | { readonly missing: readonly string[] } {
  const find = (name: string): string | undefined => folders.map((folder) => join(folder, name)).find(exists);
  const found = Object.entries(names).map(([key, name]) => ({ key, name, path: find(name) }));
  const missing = found.flatMap(({ name, path }) => (path === undefined ? [name] : []));
  if (missing.length > 0) return { missing };
  const paths = Object.fromEntries(found.map(({ key, path }) => [key, path]));
  // Every key except `nft` has a path.
  return { tools: { ...paths, nft: find('nft') } as unknown as IsolationTools };
}
