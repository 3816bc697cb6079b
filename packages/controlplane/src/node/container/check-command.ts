import { lstatSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathInRoot } from '../../images/path-in-root.ts';
import { CommandError } from '../process/find-command.ts';

/**
 * Checks a command, as a container runtime does before starting it.
 *
 * @param options - `root`: root folder of the container on this machine; `path`: the container's PATH.
 * @throws CommandError if the command does not exist or is not executable
 */
export function checkCommand(
  command: string,
  options: { readonly root: string; readonly path: string; readonly workingDir: string },
): void {
  const { root, path, workingDir } = options;
  if (command.includes('/')) {
    const found = lookAt(root, posix.resolve('/', workingDir, command));
    if (found === 'usable') return;
    if (found === 'forbidden') throw new CommandError(`exec: "${command}": permission denied`, 126);
    throw new CommandError(`exec: "${command}": stat ${command}: no such file or directory`, 127);
  }
  const isFound = path
    .split(':')
    .some((folder) => lookAt(root, posix.resolve('/', workingDir, folder, command)) === 'usable');
  if (command === '' || !isFound) throw new CommandError(`exec: "${command}": executable file not found in $PATH`, 127);
}

function lookAt(root: string, file: string): 'usable' | 'forbidden' | 'missing' {
  try {
    const found = lstatSync(join(root, pathInRoot(root, file)));
    return found.isFile() && (found.mode & 0o111) !== 0 ? 'usable' : 'forbidden';
  } catch {
    return 'missing';
  }
}
