import type { Pod, PodStatus } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import type { ContainerPlan } from './container-plan.ts';
import type { ContainerSlot } from './container-slot.ts';
import { containerStatusOf } from './container-status.ts';
import { podConditions } from './pod-conditions.ts';
import { podPhase } from './pod-phase.ts';
import { endingOf, failureOf, type PodFailure, type PodState } from './pod-state.ts';

/** Input for a pod's status. */
export interface StatusInput {
  readonly pod: Pod;
  readonly slots: readonly ContainerSlot[];
  readonly plan: Pick<ContainerPlan, 'pausing' | 'initialized'>;
  readonly podIP: string | undefined;
  readonly hostIP: string;
  readonly startTimeMs: number;
  readonly state: PodState;
  readonly nowMs: number;
}

/**
 * Returns the status that a node writes for a pod. Pure: equal inputs give equal statuses, so unchanged statuses are not
 * rewritten.
 */
export function podStatusOf(input: StatusInput, before: PodStatus | undefined): PodStatus {
  const { pod, slots, plan, podIP, hostIP, nowMs, state } = input;
  const ending = endingOf(state);
  if (ending?.type === 'rejected') return rejectedStatus(input, ending.failure);
  const failure = failureOf(state);
  const ended = state.type === 'terminated';
  const { initialized } = plan;
  const pausing = new Set(plan.pausing.map(({ slot }) => slot));
  const view = { pod, initialized, ending: ending !== undefined, pausing };
  const status = (slot: ContainerSlot) => containerStatusOf(slot, view);
  const initStatuses = slots.filter(({ role }) => role === 'init' || role === 'sidecar').map(status);
  const statuses = slots.filter(({ role }) => role === 'main').map(status);
  const ephemeralStatuses = slots.filter(({ role }) => role === 'ephemeral').map(status);
  const sidecars = new Set(slots.filter(({ role }) => role === 'sidecar').map(({ name }) => name));
  const phase = failure && ended ? 'Failed' : podPhase({ pod, initialized, initStatuses, statuses, ended });
  const evicted = failure?.reason === 'Evicted' ? failure.message : undefined;
  const hasSandbox = podIP !== undefined && !ended;
  const conditions = podConditions(
    { pod, phase, initialized, hasSandbox, initStatuses, statuses, sidecars, nowMs, evicted },
    before?.conditions ?? [],
  );
  return {
    ...defined({ observedGeneration: pod.metadata.generation }),
    phase,
    ...(failure && { reason: failure.reason, message: failure.message }),
    conditions,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status?.startTime ?? formatTime(input.startTimeMs),
    ...(initStatuses.length > 0 && { initContainerStatuses: initStatuses }),
    containerStatuses: statuses,
    ...(ephemeralStatuses.length > 0 && { ephemeralContainerStatuses: ephemeralStatuses }),
  };
}

function rejectedStatus({ pod, startTimeMs }: StatusInput, { reason, message }: PodFailure): PodStatus {
  return {
    ...defined({ observedGeneration: pod.metadata.generation }),
    phase: 'Failed',
    reason,
    message,
    startTime: pod.status?.startTime ?? formatTime(startTimeMs),
  };
}
