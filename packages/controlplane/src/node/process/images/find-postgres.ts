import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Finds a folder with both `initdb` and `postgres`: `PG_BIN`, then PATH, then where Debian, Homebrew and the
 * PostgreSQL installers put them, the newest first.
 */
export function findPostgres(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}): string | undefined {
  const { env, platform } = options;
  const suffix = platform === 'win32' ? '.exe' : '';
  const isComplete = (folder: string): boolean =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program + suffix)));
  const candidates = [
    ...(env['PG_BIN'] ? [env['PG_BIN']] : []),
    ...(env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== ''),
    ...installed('/usr/lib/postgresql', 'bin'),
    ...installed('/opt/homebrew/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/usr/local/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/home/linuxbrew/.linuxbrew/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/usr/pgsql', 'bin'),
    ...installed('/Library/PostgreSQL', 'bin'),
    ...installed('/Applications/Postgres.app/Contents/Versions', 'bin'),
    ...installed('C:\\Program Files\\PostgreSQL', 'bin'),
  ];
  return candidates.find(isComplete);
}

/** Version folders below `parent`, the newest first. */
function installed(parent: string, child: string, name = /^\d+/): readonly string[] {
  let entries: readonly string[];
  try {
    entries = readdirSync(parent);
  } catch {
    // Not installed there.
    return [];
  }
  const number = (entry: string): number => Number(/\d+(\.\d+)?/.exec(entry)?.[0] ?? 0);
  return entries
    .filter((entry) => name.test(entry))
    .sort((a, b) => number(b) - number(a))
    .map((entry) => join(parent, entry, child));
}
