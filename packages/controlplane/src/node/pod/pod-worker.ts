import { isDeleting } from '@kubewright/apimachinery';
import type { Pod, PodStatus } from '@kubewright/apimachinery/core/v1';
import type { PodSandbox } from '../driver.ts';
import type { PodVolumes } from '../volumes/pod-volumes.ts';
import { type ContainerPlan, planContainers } from './container-plan.ts';
import { ContainerRunner } from './container-runner.ts';
import { type ContainerSlot, slotsOf } from './container-slot.ts';
import type { PodHost } from './pod-host.ts';
import { PodPreparation } from './pod-preparation.ts';
import { endingOf, type PodEnding, type PodFailure, type PodState, withEnding } from './pod-state.ts';
import { podStatusOf } from './pod-status.ts';
import { activeDeadlineMs, containersToStop, evicted, remainingGraceMs } from './pod-termination.ts';

/** Options for {@link PodWorker}. */
export interface PodWorkerOptions {
  readonly host: PodHost;
  readonly makeVolumes: (pod: Pod, sandbox: PodSandbox) => PodVolumes;
  /** Returns the reason if this node rejects the pod; called once. */
  readonly admit: (pod: Pod) => PodFailure | undefined;
}

/** Result of a sync. */
export interface SyncResult {
  /** The pod's desired status. */
  readonly status: PodStatus | undefined;
  /** True if the pod is marked for deletion and none of its containers run, so it can be removed from the API. */
  readonly removable: boolean;
  /** Time of the next sync if nothing changes. */
  readonly wakeAtMs: number;
}

/**
 * The state of one pod on this node: a state machine driven by {@link sync} with the pod as read from the API. Each
 * sync considers the whole state (level-triggered), starts what is due and never waits. The work that it starts
 * triggers further syncs.
 */
export class PodWorker {
  readonly uid: string;
  readonly #slots: ContainerSlot[] = [];
  /** The last status known to be in the API. */
  written: PodStatus | undefined;
  readonly #options: PodWorkerOptions;
  readonly #runners = new Map<ContainerSlot, ContainerRunner>();
  readonly #preparation: PodPreparation;
  readonly #changed: () => void;
  readonly #startMs: number;
  #pod: Pod;
  #state: PodState;
  #status: PodStatus | undefined;
  #seenMetadata = '';

  constructor(pod: Pod, options: PodWorkerOptions) {
    const { host, makeVolumes } = options;
    this.uid = pod.metadata.uid ?? '';
    this.#pod = pod;
    this.#options = options;
    this.#startMs = pod.status?.startTime ? Date.parse(pod.status.startTime) : host.clock.now();
    const wasOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    this.#state = wasOver ? { type: 'restored', ending: { type: 'finished' } } : { type: 'new' };
    this.#status = pod.status;
    const changed = (): void => host.wake(this.#pod);
    this.#preparation = new PodPreparation({ host, makeVolumes, changed });
    this.#changed = changed;
    this.#takeContainers(pod);
  }

  get slots(): readonly ContainerSlot[] {
    return this.#slots;
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** True if none of the pod's containers run or will run. */
  get isOver(): boolean {
    return this.#state.type === 'terminated' || this.#state.type === 'restored';
  }

  get podIP(): string | undefined {
    return this.#preparation.sandbox?.podIP;
  }

  /** Address of this machine at which the pod's ports are reachable, if its network is isolated. */
  get hostAddress(): string | undefined {
    return this.#preparation.sandbox?.hostAddress?.ip;
  }

  /** Handles a change of objects that the pod refers to. */
  invalidate(): void {
    this.#preparation.invalidate();
    for (const slot of this.slots) {
      if (slot.state.type === 'waiting' && slot.state.reason === 'CreateContainerConfigError') slot.retryAtMs = 0;
    }
  }

  /** Marks the pod as deleted from the API: it is stopped immediately. */
  orphan(): void {
    this.#endBy({ type: 'orphaned' });
  }

  /** Stops every container within `withinMs`; the pod stays in the API unchanged. Used when the agent stops. */
  async shutDown(withinMs: number): Promise<void> {
    this.orphan();
    await Promise.all([...this.#runners.values()].map((runner) => runner.shutDown(withinMs)));
  }

  /** Frees the pod's resources. Call it only after all containers have ended. */
  async remove(): Promise<void> {
    await this.#preparation.removeVolumes();
    await this.#options.host.driver.removePod(this.uid);
    this.#options.host.logs.removePod(this.uid);
  }

  /** Syncs the pod: starts what is due and returns its state. */
  sync(pod: Pod): SyncResult {
    this.#noticeMetadata(pod);
    this.#pod = pod;
    this.#takeContainers(pod);
    const { host } = this.#options;
    const nowMs = host.clock.now();
    if (this.#state.type === 'restored')
      return { status: undefined, removable: this.#isGone, wakeAtMs: Number.POSITIVE_INFINITY };
    this.#admit(pod);
    this.#failWhereDue(pod, nowMs);
    if (isDeleting(pod) && !endingOf(this.#state)) this.#endBy({ type: 'deleted' });
    let plan = this.#plan(nowMs);
    if (endingOf(this.#state)) this.#stopContainers();
    else plan = this.#advance(plan, nowMs);
    this.#noticeEnd();
    const status = podStatusOf(
      {
        pod,
        slots: this.slots,
        plan,
        podIP: this.podIP,
        hostIP: host.node.ip,
        startTimeMs: this.#startMs,
        state: this.#state,
        nowMs,
      },
      this.#status,
    );
    this.#status = status;
    const { isOver } = this;
    if (isOver && !isDeleting(pod)) this.#removeVolumes();
    return { status, removable: isOver && this.#isGone, wakeAtMs: this.#wakeAt(plan) };
  }

  /** Removes the volumes of a pod that stays in the API. Volumes that cannot be removed now are removed with the pod. */
  #removeVolumes(): void {
    const { host } = this.#options;
    this.#preparation.removeVolumes().catch((error: unknown) => {
      const note = `error killing pod: cannot remove the volumes of the pod: ${error instanceof Error ? error.message : String(error)}`;
      host.event(this.#pod, { type: 'Warning', reason: 'FailedKillPod', note });
    });
  }

  /** Creates the slots: for all containers on the first call, later for newly added ephemeral containers. */
  #takeContainers(pod: Pod): void {
    const { initContainers = [], containers = [], ephemeralContainers = [] } = pod.spec ?? {};
    if (this.#slots.length === initContainers.length + containers.length + ephemeralContainers.length) return;
    const { host } = this.#options;
    const { restartBackOffMs, maxRestartBackOffMs } = host.settings;
    const limits = { initialMs: restartBackOffMs, maxMs: maxRestartBackOffMs };
    const known = new Set(this.#slots.map(({ name }) => name));
    for (const slot of slotsOf(pod, { limits, nowMs: host.clock.now() })) {
      if (known.has(slot.name)) continue;
      this.#slots.push(slot);
      this.#runners.set(slot, new ContainerRunner({ host, slot, setup: () => this.#setup(), changed: this.#changed }));
    }
  }

  #plan(nowMs: number): ContainerPlan {
    return planContainers(this.#pod, this.slots, nowMs);
  }

  /** True if the pod is deleted or being deleted, or the agent is stopping. */
  get #isGone(): boolean {
    return isDeleting(this.#pod) || endingOf(this.#state)?.type === 'orphaned';
  }

  #endBy(ending: PodEnding): void {
    this.#state = withEnding(this.#state, ending);
  }

  /** Moves from terminating to terminated once nothing runs. */
  #noticeEnd(): void {
    if (this.#state.type !== 'terminating' || this.slots.some((slot) => slot.busy || slot.isRunning)) return;
    this.#state = { ...this.#state, type: 'terminated' };
  }

  #admit(pod: Pod): void {
    if (this.#state.type !== 'new') return;
    const failure = this.#options.admit(pod);
    this.#state = { type: 'syncing' };
    if (!failure) return;
    this.#endBy({ type: 'rejected', failure });
    this.#options.host.event(pod, { type: 'Warning', reason: failure.reason, note: failure.message });
  }

  #failWhereDue(pod: Pod, nowMs: number): void {
    if (endingOf(this.#state)) return;
    const { excess } = this.#preparation;
    if (excess !== undefined) {
      this.#endBy({ type: 'failed', failure: { reason: evicted, message: excess } });
      this.#options.host.event(pod, { type: 'Warning', reason: evicted, note: excess });
      return;
    }
    if (nowMs < activeDeadlineMs(pod, this.#startMs)) return;
    const message = 'Pod was active on the node longer than the specified deadline';
    this.#endBy({ type: 'failed', failure: { reason: 'DeadlineExceeded', message } });
    this.#options.host.event(pod, { reason: 'DeadlineExceeded', note: message });
  }

  #advance(plan: ContainerPlan, nowMs: number): ContainerPlan {
    if (plan.finished) {
      this.#endBy({ type: 'finished' });
      this.#stopContainers();
      return plan;
    }
    this.#preparation.proceed(this.#pod);
    if (!this.#preparation.isReady) return plan;
    for (const slot of plan.start) this.#runners.get(slot)?.start();
    this.#reportBackOffs(plan);
    return this.#plan(nowMs);
  }

  #reportBackOffs(plan: ContainerPlan): void {
    const { name, namespace, uid } = this.#pod.metadata;
    for (const { slot } of plan.pausing) {
      if (slot.state.type !== 'exited' || slot.reportedBackOff === slot.attempts) continue;
      slot.reportedBackOff = slot.attempts;
      const note = `Back-off restarting failed container ${slot.name} in pod ${name}_${namespace}(${uid})`;
      this.#options.host.event(this.#pod, { type: 'Warning', reason: 'BackOff', note });
    }
  }

  /** Stops the running containers that are next in the stop order. */
  #stopContainers(): void {
    const graceMs = remainingGraceMs(this.#pod, { state: this.#state, nowMs: this.#options.host.clock.now() });
    for (const slot of containersToStop(this.slots, graceMs)) {
      void this.#runners.get(slot)?.stop({ graceMs, note: `Stopping container ${slot.name}` });
    }
  }

  #wakeAt(plan: ContainerPlan): number {
    // The end of a container triggers the next sync.
    if (endingOf(this.#state)) return Number.POSITIVE_INFINITY;
    return Math.min(
      this.#preparation.wakeAtMs,
      ...plan.pausing.map(({ untilMs }) => untilMs),
      activeDeadlineMs(this.#pod, this.#startMs),
    );
  }

  /** Refreshes the volumes if labels or annotations have changed: downward API volumes contain them. */
  #noticeMetadata({ metadata }: Pod): void {
    const seen = JSON.stringify([metadata.labels, metadata.annotations]);
    if (this.#seenMetadata !== '' && this.#seenMetadata !== seen) this.#preparation.invalidate();
    this.#seenMetadata = seen;
  }

  #setup() {
    const { sandbox, volumes } = this.#preparation;
    const { host } = this.#options;
    const pod = this.#pod;
    return { pod, podIP: sandbox?.podIP ?? host.node.ip, folder: sandbox?.folder, volumes: volumes ?? noVolumes };
  }
}

/** Stand-in for a pod's volumes once they have been removed. */
const noVolumes: PodVolumes = {
  prepare: () => Promise.resolve(),
  refresh: () => Promise.resolve(undefined),
  mountsOf: () => Promise.resolve([]),
  environmentOf: () => new Map(),
  remove: () => Promise.resolve(),
};
