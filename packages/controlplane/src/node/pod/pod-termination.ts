import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { ContainerSlot } from './container-slot.ts';
import { endingOf, failureOf, type PodState } from './pod-state.ts';

/** Failure reason of a pod that the node evicted. */
export const evicted = 'Evicted';

/** Returns the time at which a pod's `activeDeadlineSeconds` expire; infinity if the pod has no deadline. */
export function activeDeadlineMs({ spec }: Pod, startMs: number): number {
  const { activeDeadlineSeconds } = spec ?? {};
  return activeDeadlineSeconds === undefined ? Number.POSITIVE_INFINITY : startMs + activeDeadlineSeconds * 1000;
}

/** Returns the remaining grace period of a pod that is ending, in milliseconds, counted from the deletion request. */
export function remainingGraceMs(
  { metadata, spec }: Pod,
  { state, nowMs }: { readonly state: PodState; readonly nowMs: number },
): number {
  if (endingOf(state)?.type === 'orphaned') return 0;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionGracePeriodSeconds === 0) return 0;
  // An evicted pod does not get its full grace period, as in the kubelet.
  if (failureOf(state)?.reason === evicted) return 1_000;
  if (deletionTimestamp === undefined) return Number(spec?.terminationGracePeriodSeconds ?? 30) * 1000;
  // Timestamps have no fractions of a second, so the remaining time can be tiny or negative. One second lets a
  // container exit on its own.
  return Math.max(Date.parse(deletionTimestamp) - nowMs, 1_000);
}

/**
 * Returns the containers to stop now: main containers together, then sidecars one at a time in reverse order. Without a
 * grace period, all containers are stopped at the same time.
 */
export function containersToStop(slots: readonly ContainerSlot[], graceMs: number): readonly ContainerSlot[] {
  const running = slots.filter((slot) => slot.isRunning || slot.busy);
  const others = running.filter(({ role }) => role !== 'sidecar');
  if (graceMs <= 0) return running;
  return others.length > 0 ? others : running.slice(-1);
}
