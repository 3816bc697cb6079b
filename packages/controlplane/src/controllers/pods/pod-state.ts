import { findCondition, isDeleting } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/** True for an active pod: it has not finished and is not being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodEnded(pod) && !isDeleting(pod);
}

/** True for a pod that has succeeded or failed. */
export function isPodEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** True for a pod that is being deleted and has not finished. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodEnded(pod) && isDeleting(pod);
}

/** True for a pod whose Ready condition is true. */
export function isPodReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/** Returns when a ready pod became ready, in milliseconds; undefined if it is not ready or has no transition time. */
export function readySinceMs({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'True' || !ready.lastTransitionTime) return undefined;
  return Date.parse(ready.lastTransitionTime);
}

/** True for a pod that has been ready for `minReadySeconds`. */
export function isPodAvailable(pod: Pod, at: { readonly minReadySeconds: number; readonly nowMs: number }): boolean {
  if (!isPodReady(pod)) return false;
  return (msUntilAvailable(pod, at) ?? 1) <= 0;
}

/** Returns how long a ready pod must stay ready to become available, in milliseconds; undefined if it is not ready. */
export function msUntilAvailable(
  pod: Pod,
  { minReadySeconds, nowMs }: { readonly minReadySeconds: number; readonly nowMs: number },
): number | undefined {
  if (!isPodReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySinceMs(pod);
  return since === undefined ? undefined : Math.max(0, since + minReadySeconds * 1000 - nowMs);
}

/** Returns the highest restart count among a pod's containers. */
export function maxRestarts({ status }: Pod): number {
  const containers = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return containers.reduce((most, { restartCount }) => Math.max(most, restartCount), 0);
}
