import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** A server program on this machine. */
export interface InstalledProgram {
  readonly path: string;
  /** `1.27.3` */
  readonly version: string;
}

/** Finds a working program on this machine; returns `undefined` if none exists. */
export type FindProgram = (name: string) => Promise<InstalledProgram | undefined>;

/** Folders where package managers install servers; often missing from a user's PATH. */
const usualFolders = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/bin',
  '/usr/local/bin',
  '/usr/local/nginx/sbin',
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
];

/** Searches PATH, then the usual folders. Skips a program that does not report its version (`-v`). */
export function installedPrograms(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** True if a file exists. @defaultValue checks the disk */
  readonly exists?: (path: string) => boolean;
  /** Returns the output of a program for `-v`. @defaultValue runs it */
  readonly readVersion?: (path: string) => Promise<string>;
}): FindProgram {
  const { env, platform, exists = existsSync, readVersion = runForVersion } = options;
  const listed = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return async (name) => {
    // These programs are started by a shell script, which needs a POSIX shell.
    if (platform === 'win32') return undefined;
    for (const folder of new Set([...listed, ...usualFolders])) {
      const path = join(folder, name);
      const version = exists(path) ? await versionOf(path, readVersion) : undefined;
      if (version !== undefined) return { path, version };
    }
    return undefined;
  };
}

async function versionOf(path: string, readVersion: (path: string) => Promise<string>): Promise<string | undefined> {
  try {
    return /\d+(?:\.\d+)+/.exec(await readVersion(path))?.[0];
  } catch {
    // A program that exists but does not run is treated as missing.
    return undefined;
  }
}

async function runForVersion(path: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(path, ['-v'], { timeout: 5_000 });
  return stdout + stderr;
}
