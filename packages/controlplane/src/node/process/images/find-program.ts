import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A server program of this machine. */
export interface InstalledProgram {
  readonly path: string;
  /** `1.27.3` */
  readonly version: string;
}

/** Finds a program of this machine that runs; `undefined` when there is none. */
export type FindProgram = (name: string) => Promise<InstalledProgram | undefined>;

/** Where package managers put servers that a user's PATH often lacks. */
const usualFolders = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/local/bin',
  '/usr/local/nginx/sbin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

/** Looks in PATH, then in the usual folders; a program that does not tell its version (`-v`) is passed over. */
export function installedPrograms(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if a file exists. @defaultValue asks the disk */
  readonly exists?: (path: string) => boolean;
  /** What a program prints for `-v`. @defaultValue runs it */
  readonly ask?: (path: string) => Promise<string>;
}): FindProgram {
  const { env, platform, exists = existsSync, ask = askVersion } = options;
  const listed = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return async (name) => {
    // What starts them here is a shell's script.
    if (platform === 'win32') return undefined;
    for (const folder of new Set([...listed, ...usualFolders])) {
      const path = join(folder, name);
      const version = exists(path) ? await versionOf(path, ask) : undefined;
      if (version !== undefined) return { path, version };
    }
    return undefined;
  };
}

async function versionOf(path: string, ask: (path: string) => Promise<string>): Promise<string | undefined> {
  try {
    return /\d+(?:\.\d+)+/.exec(await ask(path))?.[0];
  } catch {
    // It is there and does not run: as good as not there.
    return undefined;
  }
}

async function askVersion(path: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(path, ['-v'], { timeout: 5_000 });
  return stdout + stderr;
}
