import type { Container, ContainerState, ContainerStatus, Pod } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import { formatPause } from './back-off.ts';
import { type ContainerSlot, containerOf } from './container-slot.ts';

/** The pod's state that container statuses depend on. */
export interface ContainerView {
  readonly pod: Pod;
  /** True if main containers may run because init containers are done. */
  readonly initialized: boolean;
  /** True if the pod is ending and nothing is restarted. */
  readonly ending: boolean;
  /** Containers in backoff. */
  readonly pausing: ReadonlySet<ContainerSlot>;
}

/** Returns the status of one container as shown in the API. */
export function containerStatusOf(slot: ContainerSlot, view: ContainerView): ContainerStatus {
  const container = containerOf(view.pod, slot.name);
  const { state, last } = statesOf(slot, view);
  const isRunning = slot.state.type === 'running' && !slot.state.stopping;
  const started = isRunning && slot.started;
  const ready =
    slot.role === 'init'
      ? slot.state.type === 'exited' && slot.state.terminated.exitCode === 0
      : started && slot.probedReady && slot.role !== 'ephemeral';
  const containerID = slot.containerId;
  return {
    name: slot.name,
    state,
    lastState: last ?? {},
    ready,
    restartCount: Math.max(slot.attempts - 1, 0),
    image: container?.image ?? '',
    imageID: slot.image?.imageId ?? '',
    ...defined({ containerID }),
    started,
    ...resourcesOf(container),
  };
}

function statesOf(
  slot: ContainerSlot,
  view: ContainerView,
): { state: ContainerState; last: ContainerState | undefined } {
  const last = slot.last && { terminated: slot.last };
  switch (slot.state.type) {
    case 'running':
      return { state: { running: { startedAt: formatTime(slot.state.running.startedAtMs) } }, last };
    case 'exited': {
      const { terminated } = slot.state;
      if (!view.ending && view.pausing.has(slot)) {
        return { state: { waiting: crashLoop(slot, view.pod) }, last: { terminated } };
      }
      return { state: { terminated }, last };
    }
    case 'starting': {
      // As a kubelet, also for init containers.
      const reason = view.pod.spec?.initContainers?.length ? 'PodInitializing' : 'ContainerCreating';
      return { state: { waiting: { reason } }, last };
    }
    case 'waiting': {
      const { reason, message } = slot.state;
      return { state: { waiting: { reason, ...defined({ message }) } }, last };
    }
  }
}

function crashLoop(slot: ContainerSlot, pod: Pod): { reason: string; message: string } {
  const { name, namespace, uid } = pod.metadata;
  return {
    reason: 'CrashLoopBackOff',
    message: `back-off ${formatPause(slot.restarts.pauseMs)} restarting failed container=${slot.name} pod=${name}_${namespace}(${uid})`,
  };
}

function resourcesOf(container: Container | undefined): Partial<ContainerStatus> {
  const { requests, limits } = container?.resources ?? {};
  const volumeMounts = (container?.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }),
  }));
  return {
    ...defined({ allocatedResources: requests }),
    resources: { ...defined({ limits, requests }) },
    ...(volumeMounts.length > 0 && { volumeMounts }),
  };
}
