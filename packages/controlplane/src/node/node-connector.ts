import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { badRequest } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type {
  AttachOptions,
  ContainerCheckOptions,
  ExecOptions,
  LogOptions,
  NodeConnector,
  NodeUsage,
  PortForwardOptions,
} from '../kube-apiserver/pods/node-connector.ts';
import type { Sockets } from '../network/sockets.ts';
import type { RunningContainer } from './driver.ts';
import { forwardPort } from './forward-port.ts';
import type { LogStore } from './logs/log-store.ts';
import { readLog } from './logs/read-log.ts';
import type { ContainerSlot } from './pod/container-slot.ts';
import { isMirrorPod } from './pod/mirror-pods.ts';
import { networkFault } from './probes/network-fault.ts';

/** Connects to the pods of a node: logs, exec, attach and port forwarding. */
export class LocalConnector implements NodeConnector {
  readonly #options: {
    readonly clock: Clock;
    readonly logs: LogStore;
    /** Returns the containers of a pod; undefined if the pod is not on this node. */
    readonly slots: (podUid: string) => readonly ContainerSlot[] | undefined;
    /** Returns the address that this node assigned to one of its pods. */
    readonly podIP: (podUid: string) => string | undefined;
    /** The reason why containers and commands cannot run on terminals; undefined if they can. */
    readonly noTerminals: string | undefined;
    /** Connects to pods. */
    readonly sockets: Sockets;
    /** Returns the resource usage of the node's containers. */
    readonly usage: () => Promise<NodeUsage>;
  };

  constructor(options: {
    readonly clock: Clock;
    readonly logs: LogStore;
    readonly slots: (podUid: string) => readonly ContainerSlot[] | undefined;
    readonly podIP: (podUid: string) => string | undefined;
    readonly noTerminals: string | undefined;
    /** Connects to pods. */
    readonly sockets: Sockets;
    readonly usage: () => Promise<NodeUsage>;
  }) {
    this.#options = options;
  }

  async logs(pod: KubernetesObject, options: LogOptions): Promise<AsyncIterable<Uint8Array>> {
    const { clock, logs } = this.#options;
    if (isMirrorPod(pod as Pod))
      return once('This component runs inside the cluster process; see the log of that process.\n');
    const slot = this.#slot(pod, options.container);
    const attempt = slot.attempts - (options.previous ? 2 : 1);
    const where = `container "${options.container}" in pod "${pod.metadata.name}"`;
    if (options.previous && (slot.last === undefined || attempt < 0)) {
      throw badRequest(`previous terminated ${where} not found`);
    }
    if (attempt < 0) {
      throw badRequest(`${where} is waiting to start: ${whyWaiting(slot)}`);
    }
    const log = logs.find({ podUid: pod.metadata.uid ?? '', container: options.container, attempt });
    if (!log) {
      if (options.previous) throw badRequest(`previous terminated ${where} not found`);
      return (async function* () {})();
    }
    return readLog(log, { ...options, clock });
  }

  async check(pod: KubernetesObject, { container, terminal }: ContainerCheckOptions): Promise<void> {
    this.#running(pod, container);
    const { noTerminals } = this.#options;
    if (terminal && noTerminals !== undefined) throw badRequest(noTerminals);
  }

  async usage(): Promise<readonly NodeUsage[]> {
    return [await this.#options.usage()];
  }

  async exec(pod: KubernetesObject, options: ExecOptions): Promise<{ readonly exitCode: number }> {
    const { command, stdin, stdout, stderr, signal, tty } = options;
    const sizes = tty ? (options.sizes ?? (async function* () {})()) : undefined;
    const session = await this.#running(pod, options.container).exec({ command, stdin, stdout, stderr, signal, sizes });
    return session.exited;
  }

  async attach(pod: KubernetesObject, options: AttachOptions): Promise<void> {
    const { stdin, stdout, stderr, signal, sizes } = options;
    const running = this.#running(pod, options.container);
    await running.attach({ stdin, stdout, stderr, signal, sizes });
  }

  async portForward(pod: KubernetesObject, options: PortForwardOptions): Promise<void> {
    const { name, uid = '' } = pod.metadata;
    rejectMirrorPod(pod);
    // Never use the address in the status: a client that can write it could reach any port on this machine.
    const host = this.#options.podIP(uid);
    if (host === undefined) throw new Error(`unable to do port forwarding: pod ${name} has no address yet`);
    try {
      await forwardPort(host, { ...options, sockets: this.#options.sockets });
    } catch (error) {
      const text = networkFault(error, { host, port: options.port });
      throw new Error(`error forwarding port ${options.port} to pod ${name}, uid ${uid}: ${text}`, { cause: error });
    }
  }

  #running(pod: KubernetesObject, container: string): RunningContainer {
    const { state } = this.#slot(pod, container);
    if (state.type !== 'running') throw badRequest(`container not found ("${container}")`);
    return state.running;
  }

  #slot(pod: KubernetesObject, container: string): ContainerSlot {
    const { name, namespace, uid = '' } = pod.metadata;
    rejectMirrorPod(pod);
    const slots = this.#options.slots(uid);
    if (!slots) throw badRequest(`pod ${name} is not running on this node yet; retry after it has started`);
    const slot = slots.find((one) => one.name === container);
    if (!slot) throw badRequest(`container ${container} not found in pod ${name}_${namespace}`);
    return slot;
  }
}

/** Rejects mirror pods, which have no container to connect to. */
function rejectMirrorPod(pod: KubernetesObject): void {
  if (!isMirrorPod(pod as Pod)) return;
  throw badRequest(`pod ${pod.metadata.name} runs inside the cluster process and has no containers`);
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Returns the kubelet's message for a container that has no log yet. */
function whyWaiting({ state }: ContainerSlot): string {
  const reason = state.type === 'waiting' ? state.reason : 'ContainerCreating';
  if (reason === 'ErrImagePull') return "image can't be pulled";
  return reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason;
}
