import { posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';
import { MountPathError, type PlaceInVolume } from '../process/isolated/root-plan.ts';

/** The files of an image. */
export interface ImageFiles {
  /** Resolves the links in a path as if the image's root were `/`. Missing parts are kept. */
  resolve(path: string): string;
  /** Returns the type of the file at a path that contains no links; `undefined` if none exists. */
  typeOf(path: string): 'folder' | 'file' | undefined;
}

/** A mount in a container. */
export interface PlannedMount {
  readonly source: string;
  /** Path in the container, with links resolved. */
  readonly path: string;
  readonly type: string;
  readonly options: string;
}

/** A mount whose source can be replaced by containers while it is being mounted. */
export interface CheckedMount {
  readonly mount: VolumeMount;
  readonly path: string;
}

/** The mounts over the root of a container, and the mount points to create. */
export interface MountPlan {
  /** Folders to create in the container's own files, parents before children. */
  readonly folders: readonly string[];
  /** Empty files to create as mount points in the container's own files. */
  readonly files: readonly string[];
  /** Folders and files to create in volumes. */
  readonly inVolumes: readonly PlaceInVolume[];
  /** Mounts in the order of mounting. */
  readonly mounts: readonly PlannedMount[];
  readonly checked: readonly CheckedMount[];
}

/** Options for {@link planMounts}. */
export interface MountPlanOptions {
  readonly image: ImageFiles;
  /** Folder of this machine with the container's `/dev`. */
  readonly devices: string;
  /** True if the container has its own network, so `/sys` may show the network. */
  readonly hasSys: boolean;
  readonly workingDir: string;
  readonly isFile: (hostPath: string) => boolean;
}

/** The devices of a container, as container runtimes provide them. */
export const deviceNames: readonly string[] = ['full', 'null', 'random', 'tty', 'urandom', 'zero'];
/** Flags that a user namespace can add but not remove. */
const readOnlyBind = 'rbind,ro,nosuid,nodev';

/**
 * Plans the mounts over a container's root. Later mounts at the same path win, as in a container runtime. The mount point of a
 * volume inside another volume is created in that volume.
 *
 * @throws MountPathError if the image cannot have a mount point for a volume
 */
export function planMounts(volumes: readonly VolumeMount[], options: MountPlanOptions): MountPlan {
  const { image, devices, hasSys, workingDir, isFile } = options;
  const planned = volumes
    .map((mount) => ({ mount, path: image.resolve(mount.mountPath) }))
    .sort((a, b) => a.path.split('/').length - b.path.split('/').length || (a.path < b.path ? -1 : 1));
  const places = new Places(image);
  for (const path of ['/proc', '/sys', '/dev']) places.add(path, { file: false });
  const inVolumes: PlaceInVolume[] = [];
  for (const { mount, path } of planned) {
    const file = isFile(mount.hostPath);
    const outer = planned.findLast((one) => one.path !== path && path.startsWith(`${one.path}/`));
    if (!outer) places.add(path, { file });
    else {
      const below = path.slice(outer.path.length + 1);
      inVolumes.push({ volume: outer.mount, below, file, mountPath: mount.mountPath });
    }
  }
  const folder = image.resolve(workingDir);
  const isInVolume = planned.some(({ path }) => folder === path || folder.startsWith(`${path}/`));
  // A container runtime creates the working folder.
  if (!isInVolume && image.typeOf(folder) === undefined) places.add(folder, { file: false });
  return {
    ...places.result(),
    inVolumes,
    mounts: [
      { source: 'proc', path: '/proc', type: 'proc', options: 'nosuid,nodev,noexec' },
      ...(hasSys ? [{ source: 'sysfs', path: '/sys', type: 'sysfs', options: 'ro,nosuid,nodev,noexec' }] : []),
      { source: devices, path: '/dev', type: 'none', options: 'bind' },
      ...deviceNames.map((name) => ({ source: `/dev/${name}`, path: `/dev/${name}`, type: 'none', options: 'bind' })),
      {
        source: 'devpts',
        path: '/dev/pts',
        type: 'devpts',
        options: 'nosuid,noexec,newinstance,ptmxmode=0666,mode=0620',
      },
      { source: 'mqueue', path: '/dev/mqueue', type: 'mqueue', options: 'nosuid,nodev,noexec' },
      { source: 'shm', path: '/dev/shm', type: 'tmpfs', options: 'nosuid,nodev,noexec,mode=1777,size=65536k' },
      ...planned.map(({ mount, path }) => ({
        source: sourceOf(mount),
        path,
        type: 'none',
        options: mount.readOnly ? readOnlyBind : 'rbind',
      })),
    ],
    checked: planned.filter(({ mount }) => mount.subPath),
  };
}

function sourceOf({ hostPath, subPath }: VolumeMount): string {
  return subPath ? posix.join(subPath.volume, subPath.below) : hostPath;
}

/** Collects the mount points that an image lacks. */
class Places {
  readonly #image: ImageFiles;
  readonly #folders = new Set<string>();
  readonly #files = new Set<string>();

  constructor(image: ImageFiles) {
    this.#image = image;
  }

  add(path: string, { file }: { readonly file: boolean }): void {
    if (path === '/') {
      throw new MountPathError({ what: 'cannot mount a volume at /: the path is the root of the container' });
    }
    // These file systems are mounted first and contain their own mount points.
    if (/^\/(proc|sys)\//.test(path) || ['/dev/shm', '/dev/mqueue', '/dev/pts'].includes(path)) return;
    const present = path.startsWith('/dev/') ? undefined : this.#image.typeOf(path);
    if (present === (file ? 'file' : 'folder')) return;
    if (present !== undefined) {
      const [wanted, is] = file ? ['file', 'directory'] : ['directory', 'file'];
      throw new MountPathError({ what: `cannot mount a ${wanted} at ${path}: the image has a ${is} at this path` });
    }
    this.#addFolder(posix.dirname(path));
    (file ? this.#files : this.#folders).add(path);
  }

  result(): Pick<MountPlan, 'folders' | 'files'> {
    return { folders: [...this.#folders], files: [...this.#files] };
  }

  #addFolder(path: string): void {
    if (path === '/' || path === '/dev' || this.#folders.has(path)) return;
    if (this.#image.typeOf(path) === 'folder') return;
    this.#addFolder(posix.dirname(path));
    this.#folders.add(path);
  }
}
