import type { PendingPod } from '../cluster/pod-info.ts';

/** A pod in the scheduling queue, and its history. */
export interface QueuedPod {
  pod: PendingPod;
  /** The time at which the pod last entered the queue, in milliseconds. */
  sinceMs: number;
  /** Breaks ties between pods that entered in the same millisecond. */
  order: number;
  /** The number of attempts in which the pod fit no node. */
  unschedulable: number;
  /** The number of consecutive attempts that ended with an error. */
  errors: number;
  /** The time at which the pod's backoff ends, in milliseconds; computed when first needed. */
  backoffEndMs: number | undefined;
  /** The plugins that rejected the pod in its last attempt. */
  rejectors: ReadonlySet<string>;
  /** The name of the gate that keeps the pod out of the queue, if any. */
  gate: string | undefined;
}

/** Orders pods as the PrioritySort plugin does: higher priority first, then longer wait. */
export function comesFirst(a: QueuedPod, b: QueuedPod): boolean {
  if (a.pod.priority !== b.pod.priority) return a.pod.priority > b.pod.priority;
  if (a.sinceMs !== b.sinceMs) return a.sinceMs < b.sinceMs;
  return a.order < b.order;
}
