import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '@kubewright/apimachinery/core/v1';
import type { ImageReference, RunningContainer } from '../driver.ts';
import { BackOff, type BackOffLimits } from './back-off.ts';

/**
 * Role of a container in its pod. Sidecars are init containers that keep running; ephemeral containers were added for debugging.
 */
export type ContainerRole = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** Current state of a container. */
export type SlotState =
  | { readonly type: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly type: 'starting' }
  | { readonly type: 'running'; readonly running: RunningContainer; stopping: boolean }
  | { readonly type: 'exited'; readonly terminated: ContainerStateTerminated; readonly atMs: number };

/** One container of a pod over all its attempts, as observed by the worker. Contains no rules. */
export class ContainerSlot {
  readonly name: string;
  readonly role: ContainerRole;
  state: SlotState = { type: 'waiting', reason: 'PodInitializing' };
  /** Result of the previous attempt. */
  last: ContainerStateTerminated | undefined;
  /** Number of the next attempt, counted from 0. */
  attempts = 0;
  /** True once the startup probe and the postStart hook have succeeded. */
  started = false;
  /** Result of the readiness probe; true without a readiness probe. */
  probedReady = false;
  image: ImageReference | undefined;
  containerId: string | undefined;
  /** Time of the next attempt if the last attempt could not create the container, for example because its image is missing. */
  retryAtMs: number | undefined;
  /** The last pull failure; undefined once the image is present. */
  pullFailure: { readonly atMs: number; readonly reason: string; readonly message: string } | undefined;
  /** The attempt whose backoff was last reported. */
  reportedBackOff = -1;
  /** True while an attempt is being started. */
  busy = false;
  readonly restarts: BackOff;
  readonly pulls: BackOff;

  constructor(
    container: Container,
    options: { readonly role: ContainerRole; readonly afterInit: boolean; readonly limits: BackOffLimits },
  ) {
    this.name = container.name;
    this.role = options.role;
    this.restarts = new BackOff(options.limits);
    this.pulls = new BackOff(options.limits);
    if (!options.afterInit) this.state = { type: 'waiting', reason: 'ContainerCreating' };
  }

  get isRunning(): boolean {
    return this.state.type === 'running';
  }

  /** Restores the state that an earlier run of the agent wrote. A container that was still running counts as ended. */
  restore(status: ContainerStatus, nowMs: number): void {
    const { state, lastState, restartCount } = status;
    const ended = state?.terminated ?? (state?.running ? lost(status) : undefined);
    this.last = lastState?.terminated ?? ended;
    this.attempts = ended || lastState?.terminated ? restartCount + 1 : restartCount;
    this.containerId = status.containerID;
    if (status.imageID) this.image = { image: status.image, imageId: status.imageID };
    if (ended) this.state = { type: 'exited', terminated: ended, atMs: nowMs };
  }
}

function lost(status: ContainerStatus): ContainerStateTerminated {
  return {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    message: 'The container could not be located when the pod was terminated',
    ...(status.containerID && { containerID: status.containerID }),
    ...(status.state?.running?.startedAt && { startedAt: status.state.running.startedAt }),
  };
}

/** Creates the slots of a pod, init containers first, in the pod's order. */
export function slotsOf(
  pod: Pod,
  options: { readonly limits: BackOffLimits; readonly nowMs: number },
): readonly ContainerSlot[] {
  const known = new Map(
    [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
      ...(pod.status?.ephemeralContainerStatuses ?? []),
    ].map((status) => [status.name, status]),
  );
  const hasInit = (pod.spec?.initContainers ?? []).length > 0;
  const make = (container: Container, role: ContainerRole): ContainerSlot => {
    const afterInit = hasInit && role !== 'ephemeral';
    const slot = new ContainerSlot(container, { role, afterInit, limits: options.limits });
    const status = known.get(container.name);
    if (status) slot.restore(status, options.nowMs);
    return slot;
  };
  return [
    ...(pod.spec?.initContainers ?? []).map((container) =>
      make(container, container.restartPolicy === 'Always' ? 'sidecar' : 'init'),
    ),
    ...(pod.spec?.containers ?? []).map((container) => make(container, 'main')),
    ...ephemeralContainersOf(pod).map((container) => make(container, 'ephemeral')),
  ];
}

/** Finds a container's specification by name. */
export function containerOf(pod: Pod, name: string): Container | undefined {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  return [...initContainers, ...containers, ...ephemeralContainersOf(pod)].find((container) => container.name === name);
}

function ephemeralContainersOf(pod: Pod): readonly Container[] {
  // Ephemeral containers have the same fields as other containers; the API rejects fields that they may not set.
  return (pod.spec?.ephemeralContainers ?? []) as readonly Container[];
}
