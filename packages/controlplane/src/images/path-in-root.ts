import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Maximum number of symbolic links followed in one path, as in Linux. */
const maxLinks = 40;

/**
 * Resolves the symbolic links of a path as if `root` were `/`, so the result never leaves the root. Parts that do not
 * exist are kept. Returns the path relative to the root: `/usr/bin/env`.
 */
export function pathInRoot(root: string, path: string): string {
  const missing = path.split('/').filter(isPart).reverse();
  let resolved = '';
  let links = 0;
  for (let part = missing.pop(); part !== undefined; part = missing.pop()) {
    if (part === '..') {
      resolved = resolved.slice(0, Math.max(0, resolved.lastIndexOf('/')));
      continue;
    }
    const target = linkTarget(join(root, resolved, part));
    if (target === undefined) {
      resolved = `${resolved}/${part}`;
      continue;
    }
    links += 1;
    if (links > maxLinks) throw Object.assign(new Error(`ELOOP: too many symbolic links, ${path}`), { code: 'ELOOP' });
    if (target.startsWith('/')) resolved = '';
    missing.push(...target.split('/').filter(isPart).reverse());
  }
  return resolved === '' ? '/' : resolved;
}

function isPart(part: string): boolean {
  return part !== '' && part !== '.';
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
