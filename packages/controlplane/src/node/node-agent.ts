import { type Clock, isDeleting, isNotFound, objectKey, type Random } from '@kubewright/apimachinery';
import { Node, Pod, type PodStatus, Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import {
  type EventRecorder,
  enqueueForObject,
  enqueueMapped,
  type HandlerContext,
  type Logger,
  Manager,
  type ReconcileRequest,
  type ReconcileResult,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { NodeConnector } from '../apiserver/node-connector.ts';
import { Deadline } from './deadline.ts';
import type { Driver } from './driver.ts';
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
import { PodWorker } from './pod/pod-worker.ts';
import type { ProbeRunner } from './probes/probe-runner.ts';
import { sameJson } from './same-json.ts';
import { CheckedPodVolumes } from './volumes/checked-pod-volumes.ts';
import { LocalPodVolumes } from './volumes/local-pod-volumes.ts';

/** What a {@link NodeAgent} is told. */
export interface NodeAgentOptions {
  readonly facts: NodeFacts;
  /** Acts as `system:node:<name>` of the group `system:nodes`. */
  readonly client: KubernetesClient;
  readonly driver: Driver;
  readonly probes: ProbeRunner;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly settings: Omit<PodSettings, 'allocatable'>;
  /** Folders whose disks the node writes to. @defaultValue none */
  readonly folders?: readonly string[] | undefined;
  /** Parts of the control plane in this process, shown as static pods. @defaultValue none */
  readonly components?: readonly string[] | undefined;
  /**
   * How long a pod that is being deleted stays in the API at least, in milliseconds. A kubelet looks at ended containers
   * once a second, and `kubectl delete` counts on that: it reads the pod after deleting it, and waits without end when
   * in between one of the same name has taken its place.
   *
   * @defaultValue 0
   */
  readonly removalDelayMs?: number | undefined;
}

/** How long stopping may take when nobody says, in milliseconds. */
const defaultStopMs = 6_000;
/** What is left of that time when containers have had theirs: for last events and the end of what was killed. */
const afterContainersMs = 700;

const nodeRequest: ReconcileRequest = { name: '*node' };
const leaseRequest: ReconcileRequest = { name: '*lease' };

/**
 * The kubelet's work on one node: keeps the Node and its Lease, runs the pods that were given to the node through a
 * {@link Driver}, reports their status, answers for logs and commands. An ordinary controller with the rights of
 * `system:node`. A development tool and no security boundary: what a driver runs is as free as the driver leaves it.
 */
export class NodeAgent implements AsyncDisposable {
  /** What the API server asks for logs and exec. */
  readonly connector: NodeConnector;
  readonly #options: NodeAgentOptions;
  readonly #manager: Manager;
  readonly #host: PodHost;
  readonly #keeper: NodeKeeper;
  readonly #mirrors: MirrorPods;
  readonly #disk: DiskPressure;
  readonly #followed: FollowedObjects;
  readonly #workers = new Map<string, PodWorker>();
  /** When each pod's deletion was noticed. */
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
        log.warn('dropped lines of a container log', { pod: this.#podName(podUid), container, lines }),
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
      hasTerminals: driver.hasTerminals ?? false,
    });
    this.#manager = new Manager({
      controllers: [this.#controller()],
      client,
      clock,
      random,
      log,
      // As Kubernetes' own: errors are in the log, events are those that each part records.
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
      objects: new ApiPodObjects({ client, cache: this.#manager.cache, followed: this.#followed }),
      images: new Set(),
      settings: { ...options.settings, allocatable: facts.capacity },
      event: (pod, event) => this.#event(pod, event),
      noteFault: (error) => this.#disk.note(error),
      wake: (pod) => this.#queue?.enqueue(objectKey(pod)),
    };
  }

  /** Takes note of an error of a write that concerns no pod. */
  noteFault(error: unknown): void {
    this.#disk.note(error);
  }

  /** Runs until `signal` is aborted or the agent is disposed; rejects when it cannot go on. */
  async run(signal?: AbortSignal): Promise<void> {
    const stop = (): void => void this[Symbol.asyncDispose]();
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await this.#manager.run();
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Resolves when the agent watches; the node is registered soon after. */
  started(): Promise<void> {
    return this.#manager.started();
  }

  /**
   * Ends every container and the agent, whatever hangs, within a time: containers get most of it as their grace, then
   * what is left of them is killed. Pods stay in the API as they are. A second call waits for the first.
   *
   * @param options - `withinMs`: all the time that there is, in milliseconds. @defaultValue 6_000
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
      watches: [
        watch(Pod, enqueueForObject(), here),
        watch(
          Node,
          enqueueMapped(() => [nodeRequest]),
          { fieldSelector: `metadata.name=${name}` },
        ),
      ],
      caches: [Service],
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

  /** What these pods refer to has changed. */
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

  /** Pods of this name with another uid are gone from the API, whatever still runs of them. */
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
    // A pod that is over needs nothing any more; what is missing must be known before a worker looks for it.
    if (this.#workers.get(uid)?.isOver) this.#followed.forget(uid);
    else await this.#followed.follow(pod);
    let worker = this.#workers.get(uid);
    if (!worker) {
      worker = this.#newWorker(pod);
      this.#workers.set(uid, worker);
    }
    if (isDeleting(pod) && !this.#deletions.has(uid)) this.#deletions.set(uid, ctx.clock.now());
    const { status, removable, wakeAtMs } = worker.sync(pod);
    try {
      if (status && !sameJson(status, worker.written)) {
        await ctx.client
          .resource(Pod)
          .status.patch(
            objectKey(pod),
            { type: 'strategic', body: { metadata: { uid }, status: statusPatch(status) } },
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
      // The pod was removed by force: its deletion is on its way to the cache.
      if (!isNotFound(error)) throw error;
    }
    return Number.isFinite(wakeAtMs) ? { requeueAfterMs: Math.max(wakeAtMs - ctx.clock.now(), 1) } : undefined;
  }

  #untilRemoval({ metadata }: Pod, nowMs: number): number {
    const noticedMs = this.#deletions.get(metadata.uid ?? '') ?? nowMs;
    return noticedMs + (this.#options.removalDelayMs ?? 0) - nowMs;
  }

  #event(pod: Pod, { type = 'Normal', reason, note }: PodEvent): void {
    // A kubelet's events are counted together only when their texts are the same.
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

  /** A pod's log cannot be written: the pod runs on, its lines are dropped. */
  #logFails({ podUid, container }: LogKey, error: unknown): void {
    this.#disk.note(error);
    const pod = this.#workers.get(podUid)?.pod;
    this.#options.log.warn('cannot write a container log; dropping its lines', {
      pod: this.#podName(podUid),
      container,
      error,
    });
    const why = error instanceof Error ? error.message : String(error);
    const note = `Cannot write the log of container ${container}, its lines are dropped: ${why}`;
    if (pod) this.#event(pod, { type: 'Warning', reason: 'LogLinesDropped', note });
  }

  #newWorker(pod: Pod): PodWorker {
    const host = this.#host;
    return new PodWorker(pod, {
      host,
      admit: () => hostPortConflict(pod, this.#activePods(pod)),
      makeVolumes: (_pod, { folder, podIP }) =>
        folder === undefined ? new CheckedPodVolumes(host, podIP) : new LocalPodVolumes({ host, folder, podIP }),
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

/** What a condition no longer says must be taken back expressly: the API merges conditions field by field. */
function statusPatch(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...status, ...(conditions && { conditions }) };
}
