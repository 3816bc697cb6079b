import { objectKey } from '@kubewright/apimachinery';
import { type Pod, Service } from '@kubewright/apimachinery/core/v1';
import { type EventRecorder, Manager } from '@kubewright/runtime';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { hostSockets } from '../network/sockets.ts';
import { Deadline } from './deadline.ts';
import { LocalLogStore } from './logs/local-log-store.ts';
import type { LogKey } from './logs/log-store.ts';
import type { NodeAgentOptions } from './node-agent-options.ts';
import { LocalConnector } from './node-connector.ts';
import { nodeControllers } from './node-controllers.ts';
import { nodeUsage } from './node-usage.ts';
import { ApiPodObjects } from './pod/api-pod-objects.ts';
import { MirrorPods } from './pod/mirror-pods.ts';
import type { PodEvent, PodHost } from './pod/pod-host.ts';
import { PodReconciler } from './pod/pod-reconciler.ts';
import { PodWorkers } from './pod/pod-workers.ts';
import { RequestSource } from './request-source.ts';
import { DiskPressure } from './status/disk-pressure.ts';
import { NodeReconciler } from './status/node-reconciler.ts';
import { WatchedObjects } from './watched-objects/watched-objects.ts';

/** Default time limit for stopping, in milliseconds. */
const defaultStopMs = 6_000;
/** Part of the stop time limit that is reserved for final events and killed processes, in milliseconds. */
const afterContainersMs = 700;

/**
 * Does the kubelet's work on one node: maintains the Node and its Lease, runs the node's pods through a {@link Driver},
 * reports their status, and serves logs and commands. It runs ordinary controllers with the permissions of
 * `system:node`. This is a development tool, not a security boundary: a pod is only as isolated as its driver makes it.
 */
export class NodeAgent implements AsyncDisposable {
  /** Used by the API server for logs and exec. */
  readonly connector: NodeConnector;
  readonly #options: NodeAgentOptions;
  readonly #manager: Manager;
  readonly #disk: DiskPressure;
  readonly #watched: WatchedObjects;
  readonly #workers: PodWorkers;
  readonly #podRequests: RequestSource;
  #stopping = false;
  #stopped: Promise<void> | undefined;

  constructor(options: NodeAgentOptions) {
    const { clock, random, log, client, driver, facts } = options;
    const logs = new LocalLogStore({
      clock,
      onDropping: (key, error) => this.#logFails(key, error),
      onDropped: ({ podUid, container }, lines) =>
        log.warn('dropped lines from a container log', {
          event: clusterLogEvents.containerLogDropped,
          pod: this.#podName(podUid),
          container,
          lines,
        }),
    });
    this.#options = options;
    const mirrors = new MirrorPods({
      nodeName: facts.name,
      podIP: facts.addresses.internalIP,
      version: facts.info.kubeletVersion,
      components: options.components ?? [],
    });
    this.#podRequests = new RequestSource(mirrors.keys);
    const nodeKey = { name: facts.name };
    const nodeRequests = new RequestSource([nodeKey]);
    this.#disk = new DiskPressure({
      folders: options.folders ?? [],
      onBegin: () => nodeRequests.enqueue(nodeKey),
    });
    this.connector = new LocalConnector({
      clock,
      logs,
      slots: (uid) => this.#workers.get(uid)?.slots,
      podIP: (uid) => {
        const worker = this.#workers.get(uid);
        return worker?.isOver === false ? worker.podIP : undefined;
      },
      noTerminals: driver.noTerminals,
      sockets: options.sockets ?? hostSockets,
      usage: () => nodeUsage(facts.name, { driver, workers: this.#workers.all() }),
    });
    this.#watched = new WatchedObjects({ client, clock, log, changed: (uids) => this.#referencesChanged(uids) });
    const host: PodHost = {
      clock,
      random,
      driver,
      logs,
      probes: options.probes,
      node: { name: facts.name, ip: facts.addresses.internalIP },
      objects: new ApiPodObjects({
        client,
        services: (namespace) =>
          driver.ignoresEnvironment ? [] : this.#manager.cache.lister(Service).list({ namespace }),
        watched: this.#watched,
      }),
      images: new Set(),
      settings: { ...options.settings, allocatable: facts.capacity },
      event: (pod, event) => this.#event(pod, event),
      noteFault: (error) => this.#disk.note(error),
      wake: (pod) => this.#podRequests.enqueue(objectKey(pod)),
    };
    const { removalDelayMs = 0 } = options;
    this.#workers = new PodWorkers({ host, watched: this.#watched, removalDelayMs });
    this.#manager = new Manager({
      controllers: nodeControllers({
        nodeName: facts.name,
        node: new NodeReconciler({ facts, disk: this.#disk, events: () => this.#events }),
        pods: new PodReconciler(this.#workers, mirrors),
        requests: { node: nodeRequests, pods: this.#podRequests },
        needsServices: !driver.ignoresEnvironment,
        isStopping: () => this.#stopping,
      }),
      client,
      clock,
      random,
      log,
      // As in Kubernetes, errors go to the log, and each component records its own events.
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
      gracefulShutdownTimeoutMs: 1_000,
    });
  }

  /** Records the error of a failed write that does not concern a pod, in case the disk is full. */
  noteFault(error: unknown): void {
    this.#disk.note(error);
  }

  /** Runs until `signal` is aborted or the agent is disposed. Rejects on a fatal error. */
  async run(signal?: AbortSignal): Promise<void> {
    const stop = (): void => void this[Symbol.asyncDispose]();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await this.#manager.run();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Resolves once the agent's watches have started. The node is registered soon after. */
  started(): Promise<void> {
    return this.#manager.started();
  }

  /**
   * Stops all containers and the agent within a time limit, even if a part hangs. Most of the time is the containers'
   * grace period; then they are killed. Pods stay in the API unchanged. A second call waits for the first.
   *
   * @param options - `withinMs`: the total time limit, in milliseconds.
   * @defaultValue 6_000
   */
  stop(options: { readonly withinMs?: number } = {}): Promise<void> {
    this.#stopped ??= this.#stop(options.withinMs ?? defaultStopMs);
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#watched[Symbol.dispose]();
    const { clock, driver } = this.#options;
    const deadline = new Deadline(clock, withinMs);
    const graceMs = Math.max(withinMs - afterContainersMs, 0);
    try {
      const gone = this.#workers.shutDown(graceMs);
      const inTime = await deadline.meets(gone, { reserveMs: afterContainersMs });
      if (!inTime) driver.kill();
      await deadline.meets(Promise.all([gone, this.#manager[Symbol.asyncDispose](), driver[Symbol.asyncDispose]()]));
    } finally {
      driver.kill();
    }
  }

  /** Refreshes pods after an object that they refer to has changed. */
  #referencesChanged(uids: readonly string[]): void {
    for (const uid of uids) {
      const worker = this.#workers.get(uid);
      if (!worker) continue;
      worker.invalidate();
      this.#podRequests.enqueue(objectKey(worker.pod));
    }
  }

  /** The kubelet's recorder. */
  get #events(): EventRecorder {
    return this.#manager.recorder('kubelet');
  }

  #event(pod: Pod, { type = 'Normal', reason, note }: PodEvent): void {
    // A kubelet aggregates events only if their messages are equal.
    this.#events.record({
      type,
      reason,
      action: reason,
      note: note === '' ? reason : note,
      regarding: pod,
      series: note,
    });
  }

  #podName(uid: string): string | undefined {
    const { namespace, name } = this.#workers.get(uid)?.pod.metadata ?? {};
    return name && `${namespace}/${name}`;
  }

  /** Handles a failed write of a pod's log: the pod keeps running and the lines are dropped. */
  #logFails({ podUid, container }: LogKey, error: unknown): void {
    this.#disk.note(error);
    const pod = this.#workers.get(podUid)?.pod;
    this.#options.log.warn('cannot write to a container log; dropping lines', {
      event: clusterLogEvents.containerLogFailed,
      pod: this.#podName(podUid),
      container,
      error,
    });
    const why = error instanceof Error ? error.message : String(error);
    const note = `Failed to write the log of container ${container}, dropping lines: ${why}`;
    if (pod) this.#event(pod, { type: 'Warning', reason: 'LogLinesDropped', note });
  }
}
