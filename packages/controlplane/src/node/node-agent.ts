import { setImmediate } from 'node:timers'; // seam: see its use
import { type Clock, isDeleting, isNotFound, objectKey, type Random } from '@kubewright/apimachinery';
import { Node, Pod, type PodStatus, Service } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import {
  type EventRecorder,
  enqueueForObject,
  enqueueMapped,
  exponentialRateLimiter,
  type Logger,
  Manager,
  type ReconcileRequest,
  type ReconcileResult,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { HandlerContext } from '@kubewright/runtime/internal';
import type { NodeConnector, NodeUsage } from '../kube-apiserver/pods/node-connector.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { hostSockets, type Sockets } from '../network/sockets.ts';
import { Deadline } from './deadline.ts';
import type { Driver, Usage } from './driver.ts';
import { MemoryPodVolumes } from './inproc/memory-pod-volumes.ts';
import { LocalLogStore } from './logs/local-log-store.ts';
import type { LogKey } from './logs/log-store.ts';
import { LocalConnector } from './node-connector.ts';
import { DiskPressure } from './object/disk-pressure.ts';
import { isMirrorPod, MirrorPods } from './object/mirror-pods.ts';
import type { NodeFacts } from './object/node-description.ts';
import { NodeKeeper } from './object/node-keeper.ts';
import { FollowedObjects } from './objects/followed-objects.ts';
import { ApiPodObjects } from './pod/api-pod-objects.ts';
import { hostPortConflict } from './pod/host-ports.ts';
import type { PodEvent, PodHost, PodSettings } from './pod/pod-host.ts';
import { PodWorker, type SyncResult } from './pod/pod-worker.ts';
import type { ProbeRunner } from './probes/probe-runner.ts';
import { CheckedPodVolumes } from './volumes/checked-pod-volumes.ts';
import { LocalPodVolumes } from './volumes/local-pod-volumes.ts';

/** Options for {@link NodeAgent}. */
export interface NodeAgentOptions {
  readonly facts: NodeFacts;
  /** A client that acts as `system:node:<name>` in the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly driver: Driver;
  readonly probes: ProbeRunner;
  /** Connects to pods. @defaultValue this machine's sockets */
  readonly sockets?: Sockets | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: Omit<PodSettings, 'allocatable'>;
  /** Folders whose disks the node writes to. @defaultValue none */
  readonly folders?: readonly string[] | undefined;
  /** Control plane components in this process, shown as static pods. @defaultValue none */
  readonly components?: readonly string[] | undefined;
  /**
   * Minimum time for which a pod being deleted stays in the API, in milliseconds. A kubelet checks for ended containers once a
   * second, and `kubectl delete` relies on that: it reads the pod after deleting it, and waits forever if another pod of the same
   * name has replaced it in between.
   *
   * @defaultValue 0
   */
  readonly removalDelayMs?: number | undefined;
}

/** Default time limit for stopping, in milliseconds. */
const defaultStopMs = 6_000;
/** Part of the time limit reserved for final events and killed processes after containers have stopped. */
const afterContainersMs = 700;

/** Maximum time between attempts to write to the API server, in milliseconds. */
const maxRetryMs = 10_000;

/** Turns of the event loop within which a pod whose containers start immediately should be running. */
const maxTurns = 6;

const nodeRequest: ReconcileRequest = { name: '*node' };
const leaseRequest: ReconcileRequest = { name: '*lease' };

/**
 * Does the kubelet's work on one node: maintains the Node and its Lease, runs the node's pods through a {@link Driver}, reports
 * their status, and serves logs and commands. An ordinary controller with the permissions of `system:node`. A development tool,
 * not a security boundary: a pod is only as isolated as its driver makes it.
 */
export class NodeAgent implements AsyncDisposable {
  /** Used by the API server for logs and exec. */
  readonly connector: NodeConnector;
  readonly #options: NodeAgentOptions;
  readonly #manager: Manager;
  readonly #host: PodHost;
  readonly #keeper: NodeKeeper;
  readonly #mirrors: MirrorPods;
  readonly #disk: DiskPressure;
  readonly #followed: FollowedObjects;
  readonly #workers = new Map<string, PodWorker>();
  /** Time at which each pod's deletion was noticed. */
  readonly #deletions = new Map<string, number>();
  #queue: HandlerContext | undefined;
  #events: EventRecorder | undefined;
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
    this.#disk = new DiskPressure({
      folders: options.folders ?? [],
      onBegin: () => this.#queue?.enqueue(nodeRequest),
    });
    this.#keeper = new NodeKeeper(facts, this.#disk);
    this.#mirrors = new MirrorPods({
      nodeName: facts.name,
      podIP: facts.addresses.internalIP,
      version: facts.info.kubeletVersion,
      components: options.components ?? [],
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
      usage: () => this.#usage(),
    });
    this.#manager = new Manager({
      controllers: [this.#controller()],
      client,
      clock,
      random,
      log,
      // Same as in Kubernetes: errors go to the log, and each component records its own events.
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
      gracefulShutdownTimeoutMs: 1_000,
    });
    this.#followed = new FollowedObjects({ client, clock, log, changed: (uids) => this.#referencesChanged(uids) });
    this.#host = {
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
        followed: this.#followed,
      }),
      images: new Set(),
      settings: { ...options.settings, allocatable: facts.capacity },
      event: (pod, event) => this.#event(pod, event),
      noteFault: (error) => this.#disk.note(error),
      wake: (pod) => this.#queue?.enqueue(objectKey(pod)),
    };
  }

  async #usage(): Promise<NodeUsage> {
    const { driver, facts } = this.#options;
    const pods = [...this.#workers.values()].map(({ pod, slots }) => ({
      pod,
      used: slots.flatMap(({ name, state }) =>
        state.type === 'running' ? [{ pod, name, running: state.running }] : [],
      ),
    }));
    const usages = (await driver.usages?.(pods.flatMap(({ used }) => used))) ?? new Map<string, Usage>();
    return {
      name: facts.name,
      pods: pods.map(({ pod: { metadata }, used }) => ({
        namespace: metadata.namespace ?? '',
        name: metadata.name ?? '',
        containers: used.flatMap(({ name, running: { containerId: id, startedAtMs } }) => {
          const usage = usages.get(id);
          return usage ? [{ name, id, startedAtMs, ...usage }] : [];
        }),
      })),
    };
  }

  /** Records the error of a write that does not concern a pod. */
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

  /** Resolves once the agent watches. The node is registered soon after. */
  started(): Promise<void> {
    return this.#manager.started();
  }

  /**
   * Stops all containers and the agent within a time limit, even if a part hangs. Containers get most of the time as grace
   * period; then they are killed. Pods stay in the API unchanged. A second call waits for the first.
   *
   * @param options - `withinMs`: the total time limit, in milliseconds. @defaultValue 6_000
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
    this.#followed[Symbol.dispose]();
    const { clock, driver } = this.#options;
    const deadline = new Deadline(clock, withinMs);
    const graceMs = Math.max(withinMs - afterContainersMs, 0);
    try {
      const gone = Promise.all([...this.#workers.values()].map((worker) => worker.shutDown(graceMs)));
      const inTime = await deadline.meets(gone, { reserveMs: afterContainersMs });
      if (!inTime) driver.kill();
      await deadline.meets(Promise.all([gone, this.#manager[Symbol.asyncDispose](), driver[Symbol.asyncDispose]()]));
    } finally {
      driver.kill();
    }
  }

  #controller() {
    const { name } = this.#options.facts;
    const here = { fieldSelector: `spec.nodeName=${name}` };
    return requestController({
      name: 'kubelet',
      for: Pod,
      maxConcurrentReconciles: 16,
      // A kubelet that loses the API server retries at least at each heartbeat.
      rateLimiter: exponentialRateLimiter({ maxMs: maxRetryMs }),
      watches: [
        watch(Pod, enqueueForObject(), here),
        watch(
          Node,
          enqueueMapped(() => [nodeRequest]),
          { fieldSelector: `metadata.name=${name}` },
        ),
      ],
      // A thousand simulated nodes would each keep all of them.
      caches: this.#options.driver.ignoresEnvironment ? [] : [Service],
      sources: [
        {
          name: 'agent',
          start: async (queue) => {
            this.#queue = queue;
            for (const request of [nodeRequest, leaseRequest, ...this.#mirrors.keys]) queue.enqueue(request);
          },
        },
      ],
      reconcile: (request, ctx) => this.#reconcile(request, ctx),
    });
  }

  /** Refreshes pods after an object they refer to has changed. */
  #referencesChanged(uids: readonly string[]): void {
    for (const uid of uids) {
      const worker = this.#workers.get(uid);
      if (!worker) continue;
      worker.invalidate();
      this.#queue?.enqueue(objectKey(worker.pod));
    }
  }

  async #reconcile(request: ReconcileRequest, ctx: RequestContext): Promise<ReconcileResult | undefined> {
    this.#events = ctx.events;
    if (this.#stopping) return undefined;
    if (request.name === nodeRequest.name) return this.#keeper.keepNode(ctx);
    if (request.name === leaseRequest.name) return this.#keeper.keepLease(ctx);
    const pod = ctx.cache.lister(Pod).get(request);
    await this.#endOthers(request, pod?.metadata.uid);
    const isOurs = this.#mirrors.keys.some(
      ({ namespace, name }) => namespace === request.namespace && name === request.name,
    );
    if (isOurs || (pod && isMirrorPod(pod))) return this.#mirrors.keep(request.name, ctx);
    return pod && this.#syncPod(pod, ctx);
  }

  /** Ends pods of this name with another uid: they no longer exist in the API, even if their containers still run. */
  async #endOthers(request: ReconcileRequest, uid: string | undefined): Promise<void> {
    for (const worker of this.#workers.values()) {
      const { pod } = worker;
      if (worker.uid === uid || pod.metadata.name !== request.name || pod.metadata.namespace !== request.namespace)
        continue;
      worker.orphan();
      if (worker.sync(pod).removable) await this.#forget(worker);
    }
  }

  async #syncPod(pod: Pod, ctx: RequestContext): Promise<ReconcileResult | undefined> {
    const uid = pod.metadata.uid ?? '';
    // A finished pod needs no objects. For others, all objects must be read before the worker uses them.
    if (this.#workers.get(uid)?.isOver) this.#followed.forget(uid);
    else await this.#followed.follow(pod);
    let worker = this.#workers.get(uid);
    if (!worker) {
      worker = this.#newWorker(pod);
      this.#workers.set(uid, worker);
    }
    if (isDeleting(pod) && !this.#deletions.has(uid)) this.#deletions.set(uid, ctx.clock.now());
    const { status, removable, wakeAtMs } = await this.#settled(worker, pod);
    try {
      if (status && (!sameJson(status, worker.written) || isMarkedNotReady(pod, status))) {
        await ctx.client
          .resource(Pod)
          .status.patch(
            objectKey(pod),
            { type: 'strategic', body: { metadata: { uid, ...annotationsOf(worker) }, status: statusPatch(status) } },
            { signal: ctx.signal },
          );
        worker.written = status;
      }
      if (removable) {
        const restMs = this.#untilRemoval(pod, ctx.clock.now());
        if (restMs > 0) return { requeueAfterMs: restMs };
        await this.#forget(worker);
        await ctx.delete(pod, { gracePeriodSeconds: 0 });
        return undefined;
      }
    } catch (error) {
      // The pod was force-deleted; the event has not reached the cache yet.
      if (!isNotFound(error)) throw error;
    }
    return Number.isFinite(wakeAtMs) ? { requeueAfterMs: Math.max(wakeAtMs - ctx.clock.now(), 1) } : undefined;
  }

  /**
   * Syncs a pod. If the driver starts containers immediately, a new pod is synced until it runs, because thousands of pods would
   * otherwise have three statuses each within milliseconds.
   */
  async #settled(worker: PodWorker, pod: Pod): Promise<SyncResult> {
    let result = worker.sync(pod);
    if (!this.#options.driver.startsAtOnce || worker.written) return result;
    for (let turn = 0; turn < maxTurns && result.status?.phase === 'Pending'; turn++) {
      // seam: lets the startup steps proceed; adds no delay.
      await new Promise((resolve) => setImmediate(resolve));
      result = worker.sync(pod);
    }
    return result;
  }

  #untilRemoval({ metadata }: Pod, nowMs: number): number {
    const noticedMs = this.#deletions.get(metadata.uid ?? '') ?? nowMs;
    return noticedMs + (this.#options.removalDelayMs ?? 0) - nowMs;
  }

  #event(pod: Pod, { type = 'Normal', reason, note }: PodEvent): void {
    // A kubelet aggregates events only if their texts are equal.
    this.#events?.record({
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

  #newWorker(pod: Pod): PodWorker {
    const host = this.#host;
    return new PodWorker(pod, {
      host,
      admit: () => hostPortConflict(pod, this.#activePods(pod)),
      makeVolumes: (_pod, { folder, podIP }) => {
        const { files } = host.driver;
        if (files) return new MemoryPodVolumes({ host, files, podIP });
        return folder === undefined ? new CheckedPodVolumes(host, podIP) : new LocalPodVolumes({ host, folder, podIP });
      },
    });
  }

  #activePods(except: Pod): readonly Pod[] {
    return [...this.#workers.values()]
      .filter((worker) => worker.uid !== except.metadata.uid && !worker.isOver)
      .map(({ pod }) => pod);
  }

  async #forget(worker: PodWorker): Promise<void> {
    await worker.remove();
    this.#followed.forget(worker.uid);
    this.#workers.delete(worker.uid);
    this.#deletions.delete(worker.uid);
  }
}

/** Returns the annotation that says where this machine reaches the pod. */
function annotationsOf({ hostAddress }: PodWorker): { readonly annotations?: Readonly<Record<string, string>> } {
  return hostAddress === undefined ? {} : { annotations: { 'kubewright.dev/host-address': hostAddress } };
}

/** Clears unset reason and message fields explicitly, because the API merges conditions field by field. */
function statusPatch(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...status, ...defined({ conditions }) };
}

/** True if the node lifecycle controller marked a pod not ready while this node was silent. */
function isMarkedNotReady(pod: Pod, status: PodStatus): boolean {
  const readyOf = ({ conditions }: PodStatus) => conditions?.find(({ type }) => type === 'Ready')?.status;
  return readyOf(status) === 'True' && pod.status !== undefined && readyOf(pod.status) === 'False';
}
