import { findCondition, isDeleting } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/** True if a pod has not finished and is not being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodEnded(pod) && !isDeleting(pod);
}

/** True if a pod has succeeded or failed. */
export function isPodEnded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** True if a pod is being deleted and has not finished. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodEnded(pod) && isDeleting(pod);
}

/** True if a pod's Ready condition is true. */
export function isPodReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, 'Ready')?.status === 'True';
}

/**
 * Returns the time at which a ready pod became ready, in milliseconds, or undefined if it is not ready or its condition has no
 * transition time.
 */
export function readySinceMs({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status !== 'True' || !ready.lastTransitionTime) return undefined;
  return Date.parse(ready.lastTransitionTime);
}

/** True if a pod has been ready for at least `minReadySeconds`. */
export function isPodAvailable(pod: Pod, at: { readonly minReadySeconds: number; readonly nowMs: number }): boolean {
  if (!isPodReady(pod)) return false;
  return (msUntilAvailable(pod, at) ?? 1) <= 0;
}

/** Returns how much longer a ready pod must stay ready to become available, in milliseconds, or undefined if it is not ready. */
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
