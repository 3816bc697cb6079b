import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import type { ContainerUser } from './container-user.ts';
import { canReach } from './reachable-programs.ts';

/**
 * Thrown if a command cannot be run in a container. The error contains a container runtime's message and a shell's exit
 * code.
 */
export class CommandError extends KubewrightError {
  override readonly name = 'CommandError';
  readonly code = 'KW5204';
  /** 127 if the command does not exist; 126 if it cannot be executed. */
  readonly exitCode: 126 | 127;

  constructor(message: string, exitCode: 126 | 127) {
    super({ what: `unable to start container process: ${message}` });
    this.exitCode = exitCode;
  }
}

/**
 * Finds a command as a container runtime does: at its path, or in PATH, skipping programs that the container's user cannot reach.
 *
 * @throws {@link CommandError} if the command does not exist or the user may not run it.
 */
export function findCommand(
  command: string,
  options: { readonly path: string; readonly folder: string; readonly user: ContainerUser | undefined },
): string {
  const { path, folder, user } = options;
  if (command === '') throw new CommandError('exec: "": executable file not found in $PATH', 127);
  if (command.includes('/') || isAbsolute(command)) {
    const file = resolve(folder, command);
    const found = lookAt(file, user);
    if (found === 'missing')
      throw new CommandError(`exec: "${command}": stat ${command}: no such file or directory`, 127);
    if (found === 'forbidden') throw new CommandError(`exec: "${command}": permission denied`, 126);
    return file;
  }
  for (const entry of path.split(delimiter)) {
    const file = entry && resolve(folder, entry, command);
    if (file && lookAt(file, user) === 'usable') return file;
  }
  throw new CommandError(`exec: "${command}": executable file not found in $PATH`, 127);
}

/**
 * Returns a working folder with its links resolved. A process enters the folder before it switches to the user, so a
 * link could lead to a folder that the user cannot enter.
 *
 * @throws {@link CommandError} if the user may not enter the folder.
 */
export function workingFolder(folder: string, user: ContainerUser | undefined): string {
  if (!user || user.uid === 0 || !existsSync(folder)) return folder;
  const real = realpathSync(folder);
  if (canReach(real, user)) return real;
  throw new CommandError(`chdir to cwd ("${folder}") set in config.json failed: permission denied`, 126);
}

function lookAt(file: string, user: ContainerUser | undefined): 'usable' | 'forbidden' | 'missing' {
  try {
    const real = realpathSync(file);
    if (!statSync(real).isFile()) return 'forbidden';
    if (user) return canReach(real, user) ? 'usable' : 'forbidden';
    accessSync(real, constants.X_OK);
    return 'usable';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'forbidden' : 'missing';
  }
}
