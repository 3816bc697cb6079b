import { posix, resolve } from 'node:path';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodNetwork } from '../../../network/pod-network.ts';
import type { VolumeMount } from '../../driver.ts';
import type { ContainerUser } from '../container-user.ts';
import { hostPathOf, mountOf } from '../host-path.ts';
import { ContainerNamespaces, type ContainerNamespacesOptions, joinOptions } from './container-namespaces.ts';
import { makeContainerRoot } from './container-root.ts';
import { joinAs } from './join-as.ts';
import { writePodFiles } from './pod-files.ts';

/** Options for {@link PodIsolation}. */
export interface PodIsolationOptions {
  readonly network: PodNetwork;
  /** Parent of all containers' folders; stays visible in every container. */
  readonly root: string;
  /** Ids of this process. */
  readonly uid: number;
  readonly gid: number;
}

interface IsolatedPod {
  readonly pod: Pod;
  readonly ip: string;
  readonly enter: readonly string[];
}

/** A container whose processes run in their own namespaces. */
export interface IsolatedContainer {
  /** Converts a path in the container to the path that its programs must use. */
  programPath(containerPath: string): string;
  /** Returns the path on this machine of a command that contains a slash. */
  hostCommand(command: string): string;
  /** Path of a shell in the container. */
  readonly sh: string;
  /** Creates the namespaces of the next attempt. */
  create(options: Pick<ContainerNamespacesOptions, 'env' | 'spawn'>): Promise<ContainerNamespaces>;
  /** Returns the command prefix that runs a command as the container's user in the namespaces of a process. */
  join(pid: number): readonly string[];
}

/** Gives each pod its own network, and each container a root in which its volumes are mounted at their own paths. */
export class PodIsolation {
  readonly #options: PodIsolationOptions;
  readonly #pods = new Map<string, IsolatedPod>();

  constructor(options: PodIsolationOptions) {
    this.#options = options;
  }

  /** Attaches a pod to the network. Returns its address. */
  async attach(
    podUid: string,
    { pod, hostIP }: { readonly pod: Pod; readonly hostIP: string | undefined },
  ): Promise<string> {
    const { network } = this.#options;
    const attached = hostIP === undefined ? await network.attach(podUid) : { ip: hostIP, enter: network.enterNode };
    this.#pods.set(podUid, { pod, ...attached });
    return attached.ip;
  }

  async detach(podUid: string): Promise<void> {
    this.#pods.delete(podUid);
    await this.#options.network.detach(podUid);
  }

  /** Writes a container's network files. Returns the container, whose processes can then be started. */
  container(
    podUid: string,
    parts: {
      /** Prefix of the paths of the container's files. */
      readonly base: string;
      readonly podFolder: string;
      /** Folder that serves as the container's home. */
      readonly home: string;
      readonly hostname: string;
      readonly mounts: readonly VolumeMount[];
      readonly user: ContainerUser | undefined;
    },
  ): IsolatedContainer {
    const { base, podFolder, home, hostname, user } = parts;
    const { network, root: kept, uid, gid } = this.#options;
    const { tools, dns } = network;
    const found = this.#pods.get(podUid);
    if (!found) throw new Error(`pod ${podUid} is not attached to the network`);
    const { pod, ip, enter } = found;
    const files = writePodFiles(podFolder, { pod, podIP: ip, hostname, dns });
    const own = files.filter(({ mountPath }) => mountOf(mountPath, parts.mounts) === undefined);
    const mounts = [...own, ...parts.mounts];
    const isMounted = (path: string): boolean => mountOf(path, parts.mounts) !== undefined;
    const programPath = (containerPath: string): string => {
      const path = posix.normalize(`/${containerPath}`);
      return isMounted(path) ? path : hostPathOf(path, [], home);
    };
    return {
      programPath,
      hostCommand: (command) => {
        const path = resolve('/', command);
        return isMounted(path) ? hostPathOf(path, parts.mounts, home) : command;
      },
      sh: tools.sh,
      create: (options) => {
        const root = makeContainerRoot(mounts, { base, kept, user });
        return ContainerNamespaces.create(root, { ...options, tools, hostname, enter });
      },
      join: (pid) => joinAs(user, { tools, own: { uid, gid }, enter: [...enter, ...joinOptions(pid)] }),
    };
  }
}
