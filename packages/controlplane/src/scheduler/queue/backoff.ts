import type { QueuedPod } from './queued-pod.ts';

const initialMs = 1_000;
const maxMs = 10_000;
/** Backoffs end at whole seconds, so that pods whose backoffs end in the same second are ordered by priority. */
const windowMs = 1_000;

/**
 * Returns the time at which a pod's backoff ends, in milliseconds. The backoff is 1 s after the first failed attempt and doubles
 * with each further failure, up to 10 s.
 */
export function backoffEnd(queued: QueuedPod): number {
  const failures = queued.errors > 0 ? queued.errors : queued.unschedulable;
  if (failures === 0) return Number.NEGATIVE_INFINITY;
  const delay = Math.min(maxMs, initialMs * 2 ** (failures - 1));
  queued.backoffEndMs ??= windowStart(queued.sinceMs + delay);
  return queued.backoffEndMs;
}

/** True while a pod is backing off. */
export function isBackingOff(queued: QueuedPod, nowMs: number): boolean {
  return backoffEnd(queued) >= windowStart(nowMs);
}

/** Returns the remaining backoff of a pod, in milliseconds. */
export function backoffLeft(queued: QueuedPod, nowMs: number): number {
  return Math.max(0, backoffEnd(queued) + windowMs - nowMs);
}

function windowStart(ms: number): number {
  return Math.floor(ms / windowMs) * windowMs;
}
