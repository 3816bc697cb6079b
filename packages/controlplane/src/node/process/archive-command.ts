import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';
import { mountOf } from './host-path.ts';

/**
 * Rewrites `tar cf - /a/path/in/a/volume`, the command with which `kubectl cp` reads files. kubectl accepts only names that start
 * with the requested path, so the archive must not show the volume's real location. tar therefore runs in a folder of links that
 * looks like the container's root. Returns `undefined` for any other command.
 *
 * @param command - the requested command, with paths inside the container.
 */
export function archiveCommand(
  command: readonly string[],
  options: {
    readonly mounts: readonly VolumeMount[];
    /** Parent of the folders of links. The container's user can traverse it, but only the agent can write to it. */
    readonly folder: string;
  },
): readonly string[] | undefined {
  const [program = '', flags = '', output, path = '', ...more] = command;
  if (basename(program) !== 'tar' || !/^-?cf$/.test(flags) || output !== '-' || more.length > 0) return undefined;
  const wanted = posix.normalize(path);
  const mount = mountOf(wanted.replace(/\/+$/, ''), options.mounts);
  if (mount === undefined || !path.startsWith('/')) return undefined;
  const root = linkedRoot(mount, options.folder);
  const name = wanted.replace(/^\/+|\/+$/g, '');
  const isWhole = `/${name}` === posix.normalize(mount.mountPath).replace(/\/+$/, '');
  if (!isWhole) return [program, flags, '-', '-C', root, name];
  // Archive the link's target instead of the link itself.
  const isFolder = statSync(mount.hostPath, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder
    ? [program, flags, '-', '-C', root, `${name}/.`]
    : [program, flags.replace('c', 'ch'), '-', '-C', root, name];
}

/** Creates a root folder in which a mount appears at its path. */
function linkedRoot({ mountPath, hostPath }: VolumeMount, folder: string): string {
  const root = join(folder, createHash('sha256').update(mountPath).digest('hex').slice(0, 16));
  const link = join(root, posix.normalize(mountPath).replace(/\/+$/, ''));
  makeReadable(dirname(link), folder);
  if (linkTarget(link) !== hostPath) {
    rmSync(link, { force: true });
    symlinkSync(hostPath, link);
  }
  return root;
}

/** Creates folders that everyone may read (they contain only links), regardless of this process's umask. */
function makeReadable(path: string, top: string): void {
  if (path !== top) makeReadable(dirname(path), top);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

function linkTarget(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}
