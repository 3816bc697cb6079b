import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';
import { mountOf } from './host-path.ts';

/**
 * Words for `tar cf - /a/path/in/a/volume`, which is how `kubectl cp` reads: kubectl takes only names that begin with the
 * path that it asked for, so the archive must not show where the volume really lies. A folder of links that looks like
 * the container's root serves as tar's; `undefined` for every other command.
 *
 * @param command - as it was asked for, with the container's own paths.
 */
export function archiveCommand(
  command: readonly string[],
  options: {
    readonly mounts: readonly VolumeMount[];
    /** Where such folders may be made: whoever the container runs as passes through, and only we write there. */
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
  // The link itself is not what was asked for, but what it leads to.
  const isFolder = statSync(mount.hostPath, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder
    ? [program, flags, '-', '-C', root, `${name}/.`]
    : [program, flags.replace('c', 'ch'), '-', '-C', root, name];
}

/** Makes a folder in which a mount is found at its path. */
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

/** Makes folders that everybody may read (there is nothing in them but links), whatever this process's mask is. */
function makeReadable(path: string, top: string): void {
  if (path !== top) makeReadable(dirname(path), top);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o755);
}

function linkTarget(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
}
