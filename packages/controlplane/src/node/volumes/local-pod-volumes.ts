import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Quantity } from '@kubewright/apimachinery';
import type { Container, Pod, Volume } from '@kubewright/apimachinery/core/v1';
import type { VolumeMount } from '../driver.ts';
import { expandVariables } from '../env/expand.ts';
import { PinnedPath } from '../pinned-path.ts';
import { userRequest } from '../pod/container-request.ts';
import type { PodHost } from '../pod/pod-host.ts';
import { type FileOwner, wipe, writeAtomically } from './atomic-folder.ts';
import { boundVolume, claimNameOf, volumeFolder } from './claim-volume.ts';
import { diskUsage } from './disk-usage.ts';
import { PodTokens } from './pod-tokens.ts';
import { type PodVolumes, VolumeError } from './pod-volumes.ts';
import { subPathIn } from './sub-path.ts';
import { type ContentSources, hasContent, volumeContent } from './volume-content.ts';
import { changeOwners } from './volume-owner.ts';
import { VolumeUsers } from './volume-users.ts';

const accountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Volumes as folders in the pod's own folder, owned by the pod's user. Mounts are passed to the driver; nothing is actually
 * mounted.
 */
export class LocalPodVolumes implements PodVolumes {
  readonly #host: PodHost;
  readonly #folder: string;
  readonly #podIP: string;
  readonly #tokens: PodTokens;
  readonly #users: VolumeUsers;
  #podUid = '';
  readonly #paths = new Map<string, string>();
  /** Names of volumes that no container may write to. */
  readonly #readOnly = new Set<string>();
  #owner: FileOwner;

  /**
   * @param options - `users`: the users of the node's persistent volumes.
   */
  constructor(options: {
    readonly host: PodHost;
    readonly folder: string;
    readonly podIP: string;
    readonly users?: VolumeUsers | undefined;
  }) {
    this.#host = options.host;
    // A container name cannot start with a dot, so this folder cannot collide with a container's own.
    this.#folder = join(options.folder, '.v');
    this.#podIP = options.podIP;
    this.#tokens = new PodTokens(options.host);
    this.#users = options.users ?? new VolumeUsers();
  }

  async prepare(pod: Pod): Promise<void> {
    this.#makeParent(this.#folder);
    this.#podUid = pod.metadata.uid ?? '';
    this.#owner = await this.#ownerOf(pod);
    for (const volume of pod.spec?.volumes ?? []) {
      if (volume.persistentVolumeClaim?.readOnly) this.#readOnly.add(volume.name);
      this.#paths.set(volume.name, await named(volume, () => this.#make(volume, pod)));
    }
  }

  async refresh(pod: Pod): Promise<number | undefined> {
    for (const volume of pod.spec?.volumes ?? []) {
      if (hasContent(volume)) await named(volume, () => this.#write(volume, pod));
    }
    return this.#tokens.refreshAtMs;
  }

  async mountsOf(container: Container, env: ReadonlyMap<string, string>): Promise<readonly VolumeMount[]> {
    return (container.volumeMounts ?? []).map((mount) => {
      const path = this.#paths.get(mount.name);
      if (path === undefined) throw new VolumeError(mount.name, `the pod has no volume "${mount.name}"`);
      const below = mount.subPathExpr ? expandVariables(mount.subPathExpr, (name) => env.get(name)) : mount.subPath;
      const inVolume = below ? this.#subPath(path, { below, mount: mount.name, container: container.name }) : {};
      return {
        mountPath: mount.mountPath,
        hostPath: path,
        ...inVolume,
        readOnly: (mount.readOnly ?? false) || this.#readOnly.has(mount.name),
      };
    });
  }

  environmentOf(container: Container): ReadonlyMap<string, string> {
    const mount = container.volumeMounts?.find(({ mountPath }) => mountPath === accountPath);
    const file = mount && this.#kubeconfigPath(mount.name);
    return new Map(file !== undefined && existsSync(file) ? [['KUBECONFIG', file]] : []);
  }

  async excess(pod: Pod): Promise<string | undefined> {
    for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
      const limit = emptyDir?.sizeLimit === undefined ? undefined : Quantity.tryParse(emptyDir.sizeLimit);
      if (!limit || limit.isZero) continue;
      const used = await diskUsage(this.#paths.get(name) ?? join(this.#folder, name));
      if (Quantity.of(used).compare(limit) > 0) {
        return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
      }
    }
    return undefined;
  }

  async remove(): Promise<void> {
    // Remove only the volumes in the pod's folder: claims and host folders are elsewhere.
    this.#users.free(this.#podUid);
    wipe(this.#folder);
    if (this.#memoryFolder !== undefined) wipe(this.#memoryFolder);
    this.#paths.clear();
  }

  /**
   * Returns the owner of the volumes: the user of all containers if they share one, or a group that all of them are in,
   * preferably the pod's fsGroup. Without a common group the volumes belong to this process and are open to all.
   */
  async #ownerOf(pod: Pod): Promise<FileOwner> {
    const { driver } = this.#host;
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    const users = await Promise.all(
      containers.map(async (container) => {
        try {
          return await driver.userOf?.(userRequest(pod, container));
        } catch {
          // A container that may not run as requested does not start, and reports the reason itself.
          return undefined;
        }
      }),
    );
    const [first] = users;
    const one = users.every((user) => user?.uid === first?.uid) ? first : undefined;
    const fsGroup = pod.spec?.securityContext?.fsGroup;
    const groupsOf = (user: typeof first): readonly number[] => (user ? [user.gid, ...(user.groups ?? [])] : []);
    const isOfAll = (group: number): boolean => users.every((user) => groupsOf(user).includes(group));
    if (fsGroup !== undefined && isOfAll(fsGroup)) return { uid: one?.uid ?? 0, gid: fsGroup, shared: true };
    if (one) return { uid: one.uid, gid: one.gid };
    const common = groupsOf(first).find(isOfAll);
    return common === undefined ? undefined : { uid: 0, gid: common, shared: true };
  }

  async #make(volume: Volume, pod: Pod): Promise<string> {
    const path = join(this.#folder, volume.name);
    if (hasContent(volume)) {
      await this.#write(volume, pod);
      return path;
    }
    if (volume.emptyDir) return this.#emptyFolder(volume, path);
    if (volume.hostPath) return this.#hostPath(volume.name, volume.hostPath.path);
    if (claimNameOf(pod, volume) !== undefined) return this.#claim(volume, pod);
    const kind = Object.keys(volume)
      .filter((key) => key !== 'name')
      .join();
    throw new VolumeError(
      volume.name,
      `volumes of type ${kind} are not supported on this node; use emptyDir, configMap, secret, downwardAPI, projected or persistentVolumeClaim`,
    );
  }

  /** Creates a folder for volumes. Containers that get their volumes mounted do not need to enter it, so only this process can. */
  #makeParent(folder: string): void {
    const mode = this.#host.driver.hidesVolumes ? 0o700 : 0o711;
    mkdirSync(folder, { recursive: true, mode });
    chmodSync(folder, mode);
  }

  #emptyFolder({ name, emptyDir }: Volume, onDisk: string): string {
    const memory = emptyDir?.medium === 'Memory' ? this.#memoryFolder : undefined;
    if (memory !== undefined) this.#makeParent(memory);
    const path = this.#ownFolder(memory === undefined ? onDisk : join(memory, name));
    if (this.#host.driver.hidesVolumes) chmodSync(path, this.#owner?.shared ? 0o2777 : 0o777);
    return path;
  }

  /** The folder in memory of this pod's volumes; undefined if the node has none, or before {@link prepare}. */
  get #memoryFolder(): string | undefined {
    const { memoryRoot } = this.#host.settings;
    return memoryRoot === undefined || this.#podUid === '' ? undefined : join(memoryRoot, this.#podUid);
  }

  #ownFolder(path: string): string {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.#own(path);
    return path;
  }

  #own(path: string): void {
    if (this.#owner) chownSync(path, this.#owner.uid, this.#owner.gid);
    // With setgid, files created in a folder of the pod's group also belong to the group.
    const closed = this.#owner?.shared ? 0o2770 : 0o700;
    chmodSync(path, this.#owner || process.getuid?.() !== 0 ? closed : 0o777);
  }

  #hostPath(volume: string, path: string): string {
    if (this.#host.settings.allowHostPath) return path;
    throw new VolumeError(
      volume,
      `hostPath volumes are not allowed on this node because they expose the host's ${path}; to allow them, start the cluster with --allow-host-path`,
    );
  }

  async #claim(volume: Volume, pod: Pod): Promise<string> {
    const { objects, node, settings } = this.#host;
    const { volumeRoot: root, allowHostPath } = settings;
    const found = await boundVolume(volume, { pod, objects });
    if (root === undefined) {
      throw new VolumeError(volume.name, 'no folder for persistent volumes is configured on this node');
    }
    const folder = volumeFolder(found, { volume: volume.name, root, name: node.name, allowHostPath });
    if (!folder.isOwn) return folder.path;
    makeOpenFolders(dirname(folder.path));
    return this.#ownClaim(folder.path, pod);
  }

  /** Changes the owners of a persistent volume to the pod's user and its `fsGroup`. */
  async #ownClaim(path: string, { spec }: Pod): Promise<string> {
    const owner = this.#owner;
    if (!owner) return this.#ownFolder(path);
    const { fsGroup, fsGroupChangePolicy } = spec?.securityContext ?? {};
    const group = fsGroup === owner.gid && owner.shared ? { fsGroup, fsGroupChangePolicy } : {};
    if (this.#users.take(path, { podUid: this.#podUid, uid: owner.uid })) {
      await changeOwners(path, { uid: owner.uid, ...group });
      return this.#ownFolder(path);
    }
    // A pod of another user is running: its files stay its own. Both share the volume through their group, or else, as on most real
    // volumes, everyone can enter the folder and create files.
    await changeOwners(path, group);
    if (group.fsGroup !== undefined) return path;
    const folder = new PinnedPath(path);
    try {
      chmodSync(folder.path, (folder.stats.mode & 0o7777) | 0o777);
    } finally {
      folder[Symbol.dispose]();
    }
    return path;
  }

  async #write(volume: Volume, pod: Pod): Promise<void> {
    const { objects, node, settings } = this.#host;
    const sources: ContentSources = {
      pod,
      objects,
      place: { podIP: this.#podIP, hostIP: node.ip },
      allocatable: settings.allocatable,
      hasOwner: this.#owner !== undefined || process.getuid?.() !== 0,
      token: (projection) => this.#tokens.get(pod, projection),
    };
    const files = await volumeContent(volume, sources);
    const path = join(this.#folder, volume.name);
    writeAtomically(path, files, this.#owner);
    // Without a common owner, others must be able to list the folder.
    if (!this.#owner && process.getuid?.() === 0) chmodSync(path, 0o755);
    const token = volume.projected?.sources?.find(({ serviceAccountToken: found }) => found && !found.audience);
    if (token?.serviceAccountToken)
      this.#writeKubeconfig(volume.name, { pod, token: join(path, token.serviceAccountToken.path) });
  }

  #kubeconfigPath(volume: string): string {
    return join(this.#folder, `..${volume}.kubeconfig`);
  }

  /** Writes a kubeconfig for clients, because the driver cannot mount the token at the path where they usually look for it. */
  #writeKubeconfig(volume: string, { pod, token }: { readonly pod: Pod; readonly token: string }): void {
    const { apiServer } = this.#host.settings;
    if (!apiServer) return;
    const name = 'kubewright';
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: {
            server: apiServer.url,
            'certificate-authority-data': Buffer.from(apiServer.ca).toString('base64'),
          },
        },
      ],
      users: [{ name, user: { tokenFile: token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: pod.metadata.namespace } }],
      'current-context': name,
    };
    const file = this.#kubeconfigPath(volume);
    writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 });
    if (this.#owner?.shared) chmodSync(file, 0o640);
    if (this.#owner) chownSync(file, this.#owner.uid, this.#owner.gid);
  }

  #subPath(
    path: string,
    { below, mount, container }: { readonly below: string; readonly mount: string; readonly container: string },
  ): Pick<VolumeMount, 'hostPath' | 'subPath'> {
    const make = (folder: string): void => {
      mkdirSync(folder, { mode: 0o700 });
      const made = new PinnedPath(folder);
      try {
        this.#own(made.path);
      } finally {
        made[Symbol.dispose]();
      }
    };
    const subPath = subPathIn(path, { subPath: below, mount, container, make });
    const wanted = join(path, below);
    const real = join(subPath.volume, subPath.below);
    return { hostPath: statSync(real).isDirectory() ? wanted : real, subPath };
  }
}

/** Adds the volume's name to file system errors. */
async function named<T>({ name }: Volume, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof VolumeError || !(error instanceof Error) || !('syscall' in error)) throw error;
    throw new VolumeError(name, error.message, { cause: error });
  }
}

/** Creates a folder and its missing parents, which the users of containers can enter but not list. */
function makeOpenFolders(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o711 });
  if (first === undefined) return;
  for (let path = folder; path.length >= first.length; path = dirname(path)) chmodSync(path, 0o711);
}
