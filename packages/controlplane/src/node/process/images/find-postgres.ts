import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** Environment variable with folders to search instead of the usual installation folders; may be empty. */
const usualFolders = 'KUBEWRIGHT_PG_FOLDERS';

/** A folder with PostgreSQL server programs. */
export interface PostgresFolder {
  readonly folder: string;
  /** `15.18` */
  readonly version: string;
}

/**
 * Finds a folder with both `initdb` and `postgres`. Searches `PG_BIN`, then PATH, then the folders used by Debian,
 * Homebrew and the PostgreSQL installers, newest first (or instead the folders in KUBEWRIGHT_PG_FOLDERS). `PG_BIN`
 * always wins. Otherwise, the first folder with the requested major version wins, or else the first folder. Links to
 * the programs are resolved, because only the folder to which they point contains all programs.
 */
export async function findPostgres(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Requested major version, such as `17`; `undefined` for any. */
  readonly major: string | undefined;
  /** Returns the version of the programs in a folder. @throws if they do not run */
  readonly versionOf: (folder: string) => Promise<string>;
}): Promise<PostgresFolder | undefined> {
  const { env, platform, major, versionOf } = options;
  const suffix = platform === 'win32' ? '.exe' : '';
  const isComplete = (folder: string): boolean =>
    ['initdb', 'postgres'].every((program) => existsSync(join(folder, program + suffix)));
  const listed = (name: string): readonly string[] => (env[name] ?? '').split(delimiter).filter((one) => one !== '');
  const own = (folder: string): string => {
    const target = dirname(realpathSync(join(folder, `postgres${suffix}`)));
    return isComplete(target) ? target : folder;
  };
  const chosen = env['PG_BIN'];
  if (chosen && isComplete(chosen)) return { folder: own(chosen), version: await versionOf(chosen) };
  const candidates = [...listed('PATH'), ...(env[usualFolders] === undefined ? installations() : listed(usualFolders))];
  let first: PostgresFolder | undefined;
  let fault: unknown;
  for (const folder of new Set(candidates.filter(isComplete).map(own))) {
    try {
      const found = { folder, version: await versionOf(folder) };
      if (major === undefined || found.version.split('.')[0] === major) return found;
      first ??= found;
    } catch (error) {
      // One broken installation must not hide the others.
      fault ??= error;
    }
  }
  if (first === undefined && fault !== undefined) throw fault;
  return first;
}

/** Returns the folders where package managers and installers put the programs. */
function installations(): readonly string[] {
  return [
    ...installed('/usr/lib/postgresql', 'bin'),
    ...installed('/opt/homebrew/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/usr/local/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/home/linuxbrew/.linuxbrew/opt', 'bin', /^postgresql(@\d+)?$/),
    ...installed('/usr/pgsql', 'bin'),
    ...installed('/Library/PostgreSQL', 'bin'),
    ...installed('/Applications/Postgres.app/Contents/Versions', 'bin'),
    ...installed('C:\\Program Files\\PostgreSQL', 'bin'),
  ];
}

/** Returns the version folders under `parent`, newest first. */
function installed(parent: string, child: string, name = /^\d+/): readonly string[] {
  let entries: readonly string[];
  try {
    entries = readdirSync(parent);
  } catch {
    // Nothing is installed there.
    return [];
  }
  const number = (entry: string): number => Number(/\d+(\.\d+)?/.exec(entry)?.[0] ?? 0);
  return entries
    .filter((entry) => name.test(entry))
    .sort((a, b) => number(b) - number(a))
    .map((entry) => join(parent, entry, child));
}
