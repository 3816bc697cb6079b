import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { VolumeMount } from '../../driver.ts';
import { type MakePart, PinnedPath, removeFolder } from '../../pinned-path.ts';
import type { ContainerUser } from '../container-user.ts';
import { fstabField, overlayPath } from './mount-text.ts';
import { type HostFiles, MountPathError, type PlannedVolume, planRoot, type RootPlan } from './root-plan.ts';

/** Files of a container's root on disk. */
export interface ContainerRoot {
  /** Folder that becomes the container's root. */
  readonly folder: string;
  /** Path of an fstab file that mounts the whole root, with the volumes in {@link volumesFolder}. */
  readonly table: string;
  /** Volumes whose source paths containers can change. */
  readonly pinned: readonly PinnedVolume[];
}

/** A file or folder in a volume. Containers can change its path at any time. */
export interface PinnedVolume {
  readonly mountPath: string;
  /** Temporary path in the container until it is mounted at its own path. */
  readonly stagedAt: string;
  readonly source: PinnedPath;
}

/**
 * Folder in a container's root that holds volumes until they are mounted at their own paths. Then an empty folder is mounted over
 * it.
 */
const volumesFolder = '/.volumes';
/** Path in the container of an fstab file that mounts the volumes at their own paths. */
export const volumesTable: string = `${volumesFolder}/table`;

const hostFiles: HostFiles = {
  typeOf(path) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return 'link';
    return found && (found.isDirectory() ? 'folder' : 'file');
  },
  real: (path) => realpathSync(path),
  top: () => readdirSync('/'),
  target: (path) => readlinkSync(path),
};

/**
 * Creates the files of the root for a container's next attempt, including all mount points. Nothing is mounted yet:
 * mounting happens in the container's own mount namespace.
 *
 * @param options - `base`: prefix of the paths to create; `kept`: folder on this machine that stays visible.
 * @throws MountPathError if a path in a volume leads through a link, because containers could redirect it
 */
export function makeContainerRoot(
  mounts: readonly VolumeMount[],
  options: { readonly base: string; readonly kept: string; readonly user: ContainerUser | undefined },
): ContainerRoot {
  const { base, kept, user } = options;
  const folder = `${base}.r`;
  const extensions = `${base}.e`;
  // A container starts with an empty /tmp and /run each time.
  for (const path of [folder, extensions]) removeFolder(path);
  const isFile = (path: string): boolean => statSync(path).isFile();
  const plan = planRoot(mounts, { host: hostFiles, isFile, kept });
  fill(folder, plan);
  const { volumes } = plan;
  fill(join(folder, volumesFolder), {
    folders: ['empty', ...volumes.flatMap(({ mount }, index) => (isFile(mount.hostPath) ? [] : [`${index}`]))],
    files: volumes.flatMap(({ mount }, index) => (isFile(mount.hostPath) ? [`${index}`] : [])),
  });
  for (const { path, target } of plan.links) symlinkSync(target, join(folder, path));
  for (const shared of ['tmp', 'dev/shm']) chmodSync(join(folder, shared), 0o1777);
  if (user) chownSync(join(folder, 'run'), user.uid, user.gid);
  for (const { volume, below, file, mountPath } of plan.inVolumes) {
    const [root, before] = volume.subPath ? [volume.subPath.volume, volume.subPath.below] : [volume.hostPath, ''];
    pin(root, { below: join(before, below), mountPath, make: makePlace({ file }) })[Symbol.dispose]();
  }
  const lowers = new Map<string, string>();
  for (const [index, extension] of plan.extended.entries()) {
    const lower = join(extensions, String(index));
    const within = (path: string): string => path.slice(extension.folder.length);
    fill(lower, { folders: extension.folders.map(within), files: extension.files.map(within) });
    copyRights(extension.folder, lower);
    lowers.set(extension.folder, lower);
  }
  writeFileSync(join(folder, volumesTable), volumesTableOf(volumes), { mode: 0o600 });
  const table = `${base}.t`;
  writeFileSync(table, mountTable(plan, { folder, lowers }), { mode: 0o600 });
  return { folder, table, pinned: pinnedVolumes(volumes) };
}

function fill(folder: string, { folders, files }: Pick<RootPlan, 'folders' | 'files'>): void {
  const make = (path: string): void => {
    mkdirSync(path, { recursive: true });
    // Set the mode regardless of this process's umask.
    chmodSync(path, 0o755);
  };
  make(folder);
  for (const path of folders) make(join(folder, path));
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '', { mode: 0o644 });
  }
}

/** Copies owner and mode, so that a folder's copy is accessible to no more users than the original. */
function copyRights(from: string, to: string): void {
  const { uid, gid, mode } = statSync(from);
  if (process.getuid?.() === 0) chownSync(to, uid, gid);
  chmodSync(to, mode & 0o7777);
}

function makePlace({ file }: { readonly file: boolean }): MakePart {
  return (path, { isLast }) => {
    if (file && isLast) writeFileSync(path, '', { flag: 'wx' });
    else mkdirSync(path);
  };
}

function pin(
  root: string,
  options: { readonly below: string; readonly mountPath: string; readonly make?: MakePart },
): PinnedPath {
  try {
    return PinnedPath.within(root, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    throw linkError(options.mountPath);
  }
}

/** Returns the error for a mount whose path in a volume leads through a link. */
export function linkError(mountPath: string): MountPathError {
  return new MountPathError({
    what: `cannot mount a volume at ${mountPath}: the path leads through a symbolic link in a volume`,
  });
}

function pinnedVolumes(volumes: readonly PlannedVolume[]): readonly PinnedVolume[] {
  const pinned: PinnedVolume[] = [];
  try {
    for (const [index, { mount }] of volumes.entries()) {
      const { subPath, mountPath } = mount;
      if (!subPath) continue;
      const source = pin(subPath.volume, { below: subPath.below, mountPath });
      pinned.push({ mountPath, stagedAt: stagedAt(index), source });
    }
  } catch (error) {
    for (const { source } of pinned) source[Symbol.dispose]();
    throw error;
  }
  return pinned;
}

function stagedAt(index: number): string {
  return `${volumesFolder}/${index}`;
}

/** Formats the mounts of a plan as an fstab, with the volumes at their temporary paths. */
function mountTable(
  { mounts, volumes }: RootPlan,
  { folder, lowers }: { readonly folder: string; readonly lowers: ReadonlyMap<string, string> },
): string {
  const lines = mounts.map((mount) => {
    const path = fstabField(`${folder}${mount.path}`);
    if (mount.type === 'terminals') return `devpts ${path} devpts newinstance,ptmxmode=0666,mode=0620 0 0`;
    if (mount.type === 'bind') return `${fstabField(mount.path)} ${path} none rbind 0 0`;
    const lower = [lowers.get(mount.path) ?? '', mount.path].map(overlayPath).join(':');
    return `overlay ${path} overlay lowerdir=${fstabField(lower)} 0 0`;
  });
  const staged = volumes.map(({ mount: { hostPath, subPath, readOnly } }, index) => {
    const source = subPath ? join(subPath.volume, subPath.below) : hostPath;
    // A mount in a user namespace may add these flags but must not remove them.
    const flags = readOnly ? 'rbind,ro,nosuid,nodev' : 'rbind';
    return `${fstabField(source)} ${fstabField(`${folder}${stagedAt(index)}`)} none ${flags} 0 0`;
  });
  const whole = `${fstabField(folder)} ${fstabField(folder)} none bind 0 0`;
  return `${[whole, ...lines, ...staged].join('\n')}\n`;
}

/** Formats the mounts of volumes at their own paths as an fstab for the finished root. */
function volumesTableOf(volumes: readonly PlannedVolume[]): string {
  const lines = volumes.map(({ path }, index) => `${stagedAt(index)} ${fstabField(path)} none rbind 0 0`);
  return `${[...lines, `${volumesFolder}/empty ${volumesFolder} none bind 0 0`].join('\n')}\n`;
}
