import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ImageProgram, ImageSource } from '../image-program.ts';
import { commandOf } from './shell-program.ts';
import { versionNote } from './version-note.ts';

/** A Python installed on this machine. */
export interface InstalledPython {
  /** The program itself, not a version manager's shim. */
  readonly path: string;
  /** Folder of the installation, including the standard library. */
  readonly prefix: string;
  readonly version: string;
}

const usualFolders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin'];

/**
 * Returns the image `python`: the machine's Python 3 with its installed packages. PATH is searched first, then the
 * usual folders. A Python that every user can run takes precedence, because any other installation would have to be
 * copied completely.
 */
export function pythonImage(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Returns true if all users that containers run as can run the program at a path. @defaultValue true for every path */
  readonly isForAll?: ((path: string) => boolean) | undefined;
  /** True if a file exists. @defaultValue checks the disk */
  readonly exists?: (path: string) => boolean;
  /** Returns the location of a Python; rejects if it does not run. @defaultValue runs it */
  readonly locate?: (path: string) => Promise<InstalledPython>;
}): ImageSource {
  const { env, platform, isForAll = () => true, exists = existsSync, locate = locatePython } = options;
  const listed = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const file = platform === 'win32' ? 'python.exe' : 'python3';
  const search = async (): Promise<InstalledPython | undefined> => {
    let first: InstalledPython | undefined;
    for (const path of new Set([...listed, ...usualFolders].map((folder) => join(folder, file)))) {
      // A Python that does not run is treated as missing.
      const found = exists(path) ? await locate(path).catch(() => undefined) : undefined;
      if (found && isForAll(found.path)) return found;
      first ??= found;
    }
    return first;
  };
  return {
    repository: 'python',
    async find(tag: string): Promise<ImageProgram> {
      const found = await search();
      if (!found)
        throw new Error('Python not found (searched for python3 in PATH and the usual folders); install Python 3');
      return pythonProgram(found, { tag, isForAll: isForAll(found.path) });
    },
  };
}

function pythonProgram(
  { path, prefix, version }: InstalledPython,
  { tag, isForAll }: { readonly tag: string; readonly isForAll: boolean },
): ImageProgram {
  const differs = versionNote('Python', { version, tag });
  return {
    description: `Python ${version} at ${path}`,
    standIn: `python: ${differs ?? `running Python ${version}`}, with the host's packages`,
    // The standard library is in the same installation and is copied with the program.
    programFolders: isForAll ? [path] : [prefix],
    launch(context) {
      const program = context.reachable(path);
      const { file, args } = commandOf(context, ['python3']);
      // The machine may have only one of the commands `python` and `python3`.
      const isPython = file === 'python' || file === 'python3';
      return { file: isPython ? program : file, args, env: { PYTHON_VERSION: version }, path: [dirname(program)] };
    },
  };
}

const question = 'import sys; print(sys.executable, sys.base_prefix, sys.version.split()[0], sep="\\n")';

async function locatePython(path: string): Promise<InstalledPython> {
  const { stdout } = await promisify(execFile)(path, ['-I', '-c', question], { timeout: 10_000 });
  const [found = '', prefix = '', version = ''] = stdout.split(/\r?\n/);
  if (found === '' || !version.startsWith('3')) throw new Error(`${path} is not Python 3`);
  return { path: found, prefix, version };
}
