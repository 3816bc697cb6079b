import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lchownSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathInRoot } from '../../images/path-in-root.ts';
import type { VolumeMount } from '../driver.ts';
import { PinnedPath } from '../pinned-path.ts';
import { linkError } from '../process/isolated/container-root.ts';
import { fstabField, overlayPath } from '../process/isolated/mount-text.ts';
import { MountPathError } from '../process/isolated/root-plan.ts';
import { removeTree } from '../remove-tree.ts';
import { deviceNames, type ImageFiles, type MountPlan, planMounts } from './mount-plan.ts';

/** Options for {@link makeRoot}. */
export interface OverlayRootOptions {
  /** Folder with the image's files, which never change. */
  readonly lower: string;
  /** Prefix of the paths to create. */
  readonly base: string;
  /** The id on this machine that the container's user 0 is mapped to; `undefined` if it is this process's user. */
  readonly firstId: number | undefined;
  /** How the image's files are provided: `copy` is for systems that cannot mount overlays. */
  readonly method: 'overlay' | 'copy';
  readonly readOnly: boolean;
  readonly hasSys: boolean;
  readonly workingDir: string;
}

/**
 * The prepared root of a container's attempt. Nothing is mounted yet: mounting happens in the container's own mount
 * namespace.
 */
export interface OverlayRoot extends Disposable {
  /** Folder at which the fstab file mounts the root. */
  readonly folder: string;
  /** Path of an fstab file with all mounts. */
  readonly table: string;
  /**
   * Checks the mounts after mounting. @throws MountPathError if a container has replaced a volume's file while it was being
   * mounted
   */
  check(rootOnHost: string): void;
}

const deviceLinks: Readonly<Record<string, string>> = {
  fd: '/proc/self/fd',
  ptmx: 'pts/ptmx',
  stdin: '/proc/self/fd/0',
  stdout: '/proc/self/fd/1',
  stderr: '/proc/self/fd/2',
};

/** Prepares the root of a container's next attempt: the image's files, and the mount points for all mounts. */
export async function makeRoot(mounts: readonly VolumeMount[], options: OverlayRootOptions): Promise<OverlayRoot> {
  const { lower, base, firstId, method, workingDir, hasSys } = options;
  removeRoot(base);
  const paths = { folder: `${base}.r`, upper: `${base}.u`, work: `${base}.k`, devices: `${base}.d` };
  for (const path of Object.values(paths)) mkdirSync(path, { mode: 0o755 });
  if (method === 'copy') await copyFiles(lower, paths.folder);
  const isFile = (path: string): boolean => statSync(path).isFile();
  const plan = planMounts(mounts, { image: filesOf(lower), devices: paths.devices, hasSys, workingDir, isFile });
  const own = method === 'copy' ? paths.folder : paths.upper;
  makePlaces(plan, { own, lower, devices: paths.devices, firstId });
  for (const { volume, below, file, mountPath } of plan.inVolumes) {
    const [root, before] = volume.subPath ? [volume.subPath.volume, volume.subPath.below] : [volume.hostPath, ''];
    const make = (path: string, { isLast }: { readonly isLast: boolean }): void => {
      if (file && isLast) writeFileSync(path, '', { flag: 'wx' });
      else mkdirSync(path);
    };
    pin(root, { below: join(before, below), mountPath, make })[Symbol.dispose]();
  }
  const checked = plan.checked.map(({ mount, path }) => {
    const { volume, below } = mount.subPath ?? { volume: mount.hostPath, below: '' };
    return { path, mountPath: mount.mountPath, source: pin(volume, { below, mountPath: mount.mountPath }) };
  });
  const table = `${base}.t`;
  writeFileSync(table, tableOf(plan, { ...options, ...paths }), { mode: 0o600 });
  return {
    folder: paths.folder,
    table,
    check(rootOnHost) {
      for (const { path, mountPath, source } of checked) {
        if (!source.isSameFile(statSync(join(rootOnHost, path)))) throw linkError(mountPath);
      }
    },
    [Symbol.dispose]() {
      for (const { source } of checked) source[Symbol.dispose]();
    },
  };
}

/** Removes the files of a container's attempt. */
export function removeRoot(base: string): void {
  for (const suffix of ['r', 'u', 'k', 'd']) removeTree(`${base}.${suffix}`);
}

/** Copies files with their owners, modes and times. */
async function copyFiles(from: string, to: string): Promise<void> {
  const copy = spawn('cp', ['-a', '--reflink=auto', '--', `${from}/.`, to], { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  copy.stderr.on('data', (chunk: unknown) => {
    errors += String(chunk);
  });
  const [code] = (await once(copy, 'close')) as [number | null];
  if (code !== 0) throw new MountPathError({ what: "cannot copy the image's files", why: errors.trim() });
}

function filesOf(root: string): ImageFiles {
  return {
    resolve: (path) => pathInRoot(root, path),
    typeOf(path) {
      const found = lstatSync(join(root, path), { throwIfNoEntry: false });
      return found && (found.isDirectory() ? 'folder' : 'file');
    },
  };
}

/** Creates the mount points, in the container's own layer above the image's files. */
function makePlaces(
  plan: MountPlan,
  paths: {
    readonly own: string;
    readonly lower: string;
    readonly devices: string;
    readonly firstId: number | undefined;
  },
): void {
  const { own, lower, devices, firstId } = paths;
  const give = (path: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void => {
    if (firstId !== undefined) lchownSync(path, uid, gid);
  };
  const first = { uid: firstId ?? 0, gid: firstId ?? 0 };
  /** Creates the parent folders of a mount point with the owners and modes that they have in the image. */
  const above = (path: string): void => {
    const folder = join(own, path);
    if (path !== '/' && lstatSync(folder, { throwIfNoEntry: false })) return;
    if (path !== '/') {
      above(dirname(path));
      mkdirSync(folder);
    }
    const found = lstatSync(join(lower, path), { throwIfNoEntry: false });
    give(folder, found ?? first);
    chmodSync(folder, (found?.mode ?? 0o755) & 0o7777);
  };
  const make = (path: string, { file }: { readonly file: boolean }): void => {
    const isDevice = path.startsWith('/dev/');
    if (!isDevice) above(dirname(path));
    const place = isDevice ? join(devices, path.slice('/dev/'.length)) : join(own, path);
    if (lstatSync(place, { throwIfNoEntry: false })) return;
    if (file) writeFileSync(place, '', { mode: 0o644 });
    else mkdirSync(place, { mode: 0o755 });
    give(place, first);
  };
  above('/');
  give(devices, first);
  for (const name of deviceNames) writeFileSync(join(devices, name), '');
  for (const [name, target] of Object.entries(deviceLinks)) {
    symlinkSync(target, join(devices, name));
    give(join(devices, name), first);
  }
  for (const name of ['pts', 'shm', 'mqueue']) mkdirSync(join(devices, name));
  for (const path of plan.folders) make(path, { file: false });
  for (const path of plan.files) make(path, { file: true });
}

function pin(
  root: string,
  options: Parameters<typeof PinnedPath.within>[1] & { readonly mountPath: string },
): PinnedPath {
  try {
    return PinnedPath.within(root, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw linkError(options.mountPath);
  }
}

/** Formats the mounts as an fstab file. */
function tableOf(
  { mounts }: MountPlan,
  options: OverlayRootOptions & { readonly folder: string; readonly upper: string; readonly work: string },
): string {
  const { folder, lower, upper, work, firstId, method, readOnly } = options;
  const flags = readOnly ? 'ro,nodev' : 'nodev';
  // In a user namespace, overlayfs may write only attributes whose names begin with `user.`.
  const attributes = firstId === undefined ? ',userxattr' : '';
  const layers = `lowerdir=${overlayPath(lower)},upperdir=${overlayPath(upper)},workdir=${overlayPath(work)}`;
  const root =
    method === 'copy'
      ? `${fstabField(folder)} ${fstabField(folder)} none bind,${flags} 0 0`
      : `overlay ${fstabField(folder)} overlay ${fstabField(`${flags}${attributes},${layers}`)} 0 0`;
  const lines = mounts.map(
    ({ source, path, type, options }) =>
      `${fstabField(source)} ${fstabField(join(folder, path))} ${type} ${options} 0 0`,
  );
  return `${[root, ...lines].join('\n')}\n`;
}
