import { chownSync } from 'node:fs';
import type { Clock } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { LoopbackRange } from '../../network/loopback-range.ts';
import type { PodNetwork } from '../../network/pod-network.ts';
import { hostSockets } from '../../network/sockets.ts';
import type { PodSandbox, PodSandboxRequest, VolumeMount } from '../driver.ts';
import { mountOf } from '../process/host-path.ts';
import { declaredPorts, HostPortListeners, hostPortsOf } from '../process/host-port-listeners.ts';
import { writePodFiles } from '../process/isolated/pod-files.ts';
import type { SandboxFolders } from '../process/sandbox-folders.ts';

/** Options for {@link PodSandboxes}. */
export interface PodSandboxesOptions {
  readonly clock: Clock;
  readonly addresses: LoopbackRange;
  readonly folders: SandboxFolders;
  /** Gives each pod its own network. @defaultValue pods share this machine's network */
  readonly network: PodNetwork | undefined;
  /** The id on this machine that the containers' user 0 is mapped to; `undefined` if it is this process's user. */
  readonly firstId: number | undefined;
}

interface Sandbox {
  readonly pod: Pod;
  readonly podIP: string;
  /** Address of this machine at which the pod's ports are reachable. In a shared network, it is the pod's own address. */
  readonly address: string | undefined;
  /**
   * Command prefix that runs a program in the pod's own network; `undefined` if the pod shares this machine's network.
   */
  readonly enter: readonly string[] | undefined;
}

/** The folders, addresses, networks and host ports of pods. */
export class PodSandboxes implements Disposable {
  readonly #options: PodSandboxesOptions;
  readonly #hostPorts: HostPortListeners;
  readonly #pods = new Map<string, Sandbox>();

  constructor(options: PodSandboxesOptions) {
    this.#options = options;
    const sockets = options.network?.sockets ?? hostSockets;
    this.#hostPorts = new HostPortListeners({ host: sockets, pods: sockets, clock: options.clock });
  }

  async prepare({ uid, hostIP, pod: object }: PodSandboxRequest): Promise<PodSandbox> {
    const { addresses, folders, network } = this.#options;
    // The agent passes only pods.
    const pod = object as Pod;
    const folder = folders.pod(uid);
    if (hostIP !== undefined) {
      this.#pods.set(uid, { pod, podIP: hostIP, address: undefined, enter: network?.enterNode });
      return { podIP: hostIP, folder };
    }
    const attached = await network?.attach(uid);
    const address = this.#pods.get(uid)?.address ?? addresses.take();
    const podIP = attached?.ip ?? address;
    this.#pods.set(uid, { pod, podIP, address, enter: attached?.enter });
    const nodeIP = network?.nodeIP ?? addresses.nodeIP;
    await this.#hostPorts.open(uid, hostPortsOf(pod, { podIP, nodeIP, shared: network === undefined }));
    if (!attached) return { podIP, folder };
    const hostAddress = await this.#hostPorts.expose(uid, declaredPorts(pod, { podIP, address }));
    return { podIP, folder, ...defined({ hostAddress }) };
  }

  /**
   * Returns the command prefix that runs a program in the pod's own network; `undefined` if the pod shares this machine's
   * network.
   */
  enter(podUid: string): readonly string[] | undefined {
    return this.#pods.get(podUid)?.enter;
  }

  /** True if the containers of a pod see and signal each other's processes. */
  sharesProcesses(podUid: string): boolean {
    return this.#pods.get(podUid)?.pod.spec?.shareProcessNamespace ?? false;
  }

  /**
   * Writes the pod's `/etc/hosts`, `/etc/resolv.conf` and `/etc/hostname`. Returns their mounts, except at paths where the pod
   * mounts something itself.
   */
  files(
    podUid: string,
    { hostname, mounts }: { readonly hostname: string; readonly mounts: readonly VolumeMount[] },
  ): readonly VolumeMount[] {
    const { folders, network, firstId } = this.#options;
    const found = this.#pods.get(podUid);
    if (!found) throw new Error(`pod ${podUid} is not prepared`);
    const { pod, podIP } = found;
    const files = writePodFiles(folders.pod(podUid), { pod, podIP, hostname, dns: network?.dns });
    if (firstId !== undefined) for (const { hostPath } of files) chownSync(hostPath, firstId, firstId);
    return files.filter(({ mountPath }) => mountOf(mountPath, mounts) === undefined);
  }

  /** Frees the resources of a pod, whose processes must have ended. */
  async remove(podUid: string): Promise<void> {
    this.#hostPorts.close(podUid);
    const address = this.#pods.get(podUid)?.address;
    if (address !== undefined) this.#options.addresses.free(address);
    this.#pods.delete(podUid);
    await this.#options.network?.detach(podUid);
  }

  [Symbol.dispose](): void {
    this.#hostPorts[Symbol.dispose]();
  }
}
