import { dirname, join, posix } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import type { VolumeMount } from '../../driver.ts';

/** Thrown if a volume cannot be mounted at its path. */
export class MountPathError extends KubewrightError {
  override readonly name = 'MountPathError';
  readonly code = 'KW5221';
}

/** Access to this machine's file tree. */
export interface HostFiles {
  /** Returns the type of the file at a path, without following a link; `undefined` if none exists. */
  typeOf(path: string): 'folder' | 'file' | 'link' | undefined;
  /** Resolves all links of an existing path. */
  real(path: string): string;
  /** Names in the root folder. */
  top(): readonly string[];
  /** Returns the target of a link. */
  target(path: string): string;
}

/** The root file system of a container: folders, files and links to create, and what to mount on them. */
export interface RootPlan {
  /** Folders in the container's root, parents first. */
  readonly folders: readonly string[];
  /** Empty files to use as mount points. */
  readonly files: readonly string[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Folders and files to create in volumes. */
  readonly inVolumes: readonly PlaceInVolume[];
  /** Folders on this machine that lack mount points, with the folders and files to add to them. */
  readonly extended: readonly Extension[];
  /** Mounts of this machine's folders and devices, in the order of mounting. */
  readonly mounts: readonly PlannedMount[];
  /** Mounts of volumes on top of `mounts`, in the order of mounting. */
  readonly volumes: readonly PlannedVolume[];
}

/** A mount point to create in another volume. */
export interface PlaceInVolume {
  readonly volume: VolumeMount;
  /** Path in the volume. */
  readonly below: string;
  readonly file: boolean;
  /** Path in the container. */
  readonly mountPath: string;
}

/** A mount of a volume, with its path in the container after resolving links. */
export interface PlannedVolume {
  readonly mount: VolumeMount;
  readonly path: string;
}

interface Extension {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** A mount of a folder or device of this machine at its own path, of an extended folder, or of the container's own terminals. */
export type PlannedMount =
  | { readonly type: 'bind'; readonly path: string }
  | { readonly type: 'terminals'; readonly path: string }
  | { readonly type: 'extended'; readonly path: string };

/** Folders that are private to each container instead of shared with this machine. */
const ownFolders: readonly string[] = ['/dev', '/run', '/tmp'];
/** The devices in a container's `/dev`, as container runtimes provide them. */
const devices: readonly string[] = ['full', 'null', 'random', 'tty', 'urandom', 'zero'];
const deviceLinks: Readonly<Record<string, string>> = {
  '/dev/fd': '/proc/self/fd',
  '/dev/ptmx': 'pts/ptmx',
  '/dev/stdin': '/proc/self/fd/0',
  '/dev/stdout': '/proc/self/fd/1',
  '/dev/stderr': '/proc/self/fd/2',
};

/**
 * Plans a container's root: this machine's folders, except `/dev`, `/run` and `/tmp`, with the container's mounts at their own
 * paths. A folder on this machine that lacks a mount point is replaced by a read-only overlay that has it.
 *
 * @param options - `kept`: folder on this machine that stays visible at its path, even under `/tmp`.
 */
export function planRoot(
  mounts: readonly VolumeMount[],
  options: {
    readonly host: HostFiles;
    readonly isFile: (hostPath: string) => boolean;
    readonly kept: string;
  },
): RootPlan {
  const { host, isFile, kept } = options;
  const plan = new Planner(host);
  const places = mounts
    .map((mount) => ({ mount, path: plan.resolve(mount.mountPath) }))
    .sort((a, b) => a.path.split('/').length - b.path.split('/').length || (a.path < b.path ? -1 : 1));
  // Later mounts at the same path win, as in a container runtime.
  for (const { mount, path } of places) {
    if (path === '/') {
      throw new MountPathError({
        what: `cannot mount a volume at ${mount.mountPath}: the path is the root of the container`,
      });
    }
    const outer = places.findLast((one) => one.path !== path && path.startsWith(`${one.path}/`));
    // A mount point inside another volume is created in that volume.
    plan.place(path, { file: isFile(mount.hostPath), outer });
    plan.mount({ mount, path });
  }
  plan.keep(kept);
  return plan.result();
}

class Planner {
  readonly #host: HostFiles;
  readonly #folders = new Set<string>();
  readonly #files = new Set<string>();
  readonly #extended = new Map<string, { readonly folders: Set<string>; readonly files: Set<string> }>();
  readonly #inVolumes: PlaceInVolume[] = [];
  readonly #volumes: PlannedVolume[] = [];

  constructor(host: HostFiles) {
    this.#host = host;
  }

  /** Resolves links of this machine in a path of the container, such as `/var/run`. */
  resolve(mountPath: string): string {
    const path = posix.normalize(`/${mountPath}`).replace(/(?<=.)\/+$/, '');
    const missing: string[] = [];
    let present = path;
    while (this.#host.typeOf(present) === undefined) {
      missing.unshift(posix.basename(present));
      present = dirname(present);
    }
    return join(this.#host.real(present), ...missing);
  }

  /** Plans the creation of a mount point. */
  place(path: string, options: { readonly file: boolean; readonly outer: PlannedVolume | undefined }): void {
    const { file, outer } = options;
    const top = `/${path.split('/')[1]}`;
    if (outer) {
      const below = path.slice(outer.path.length + 1);
      this.#inVolumes.push({ volume: outer.mount, below, file, mountPath: path });
      return;
    }
    if (ownFolders.includes(top) || this.#host.typeOf(top) === undefined) {
      this.#add(path, { file, to: { folders: this.#folders, files: this.#files }, above: '/' });
      return;
    }
    if (this.#host.typeOf(path) === (file ? 'file' : 'folder')) return;
    let present = dirname(path);
    while (this.#host.typeOf(present) !== 'folder') present = dirname(present);
    const extension = this.#extended.get(present) ?? { folders: new Set<string>(), files: new Set<string>() };
    this.#extended.set(present, extension);
    this.#add(path, { file, to: extension, above: present });
  }

  mount(volume: PlannedVolume): void {
    this.#volumes.push(volume);
  }

  /** Keeps a folder on this machine visible although it is below one of the container's own folders. */
  keep(folder: string): void {
    const path = this.#host.real(folder);
    if (!ownFolders.some((own) => path.startsWith(`${own}/`))) return;
    const outer = this.#volumes.findLast((one) => path.startsWith(`${one.path}/`));
    this.place(path, { file: false, outer });
    this.mount({ mount: { mountPath: path, hostPath: path, readOnly: false }, path });
  }

  result(): RootPlan {
    const links = Object.entries(deviceLinks).map(([path, target]) => ({ path, target }));
    const whole: PlannedMount[] = [{ type: 'terminals', path: '/dev/pts' }];
    const tops = new Set<string>([...ownFolders, '/dev/pts', '/dev/shm']);
    const files = new Set(this.#files);
    for (const name of this.#host.top()) {
      const path = `/${name}`;
      const type = this.#host.typeOf(path);
      if (ownFolders.includes(path)) continue;
      if (type === 'link') links.push({ path, target: this.#host.target(path) });
      if (type !== 'folder') continue;
      tops.add(path);
      whole.push({ type: 'bind', path });
    }
    for (const path of devices.map((name) => `/dev/${name}`)) {
      if (this.#host.typeOf(path) !== 'file') continue;
      files.add(path);
      whole.push({ type: 'bind', path });
    }
    const extended = [...this.#extended].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      folders: [...tops, ...this.#folders],
      files: [...files],
      links,
      inVolumes: this.#inVolumes,
      extended: extended.map(([folder, { folders, files }]) => ({ folder, folders: [...folders], files: [...files] })),
      mounts: [...whole, ...extended.map(([path]): PlannedMount => ({ type: 'extended', path }))],
      volumes: this.#volumes,
    };
  }

  #add(
    path: string,
    options: {
      readonly file: boolean;
      readonly to: { readonly folders: Set<string>; readonly files: Set<string> };
      readonly above: string;
    },
  ): void {
    const { file, to, above } = options;
    const parents: string[] = [];
    for (let parent = dirname(path); parent !== above && parent !== '/'; parent = dirname(parent))
      parents.unshift(parent);
    for (const parent of parents) to.folders.add(parent);
    (file ? to.files : to.folders).add(path);
  }
}
