import type { PendingPod } from '../cluster/pod-info.ts';

/** A pod in the scheduling queue, and its history. */
export interface QueuedPod {
  pod: PendingPod;
  /** When it entered the queue, first or again, in milliseconds. */
  sinceMs: number;
  /** Order of entry among pods of the same millisecond. */
  order: number;
  /** Attempts that ended because it fit no node. */
  unschedulable: number;
  /** Attempts in a row that ended with an error. */
  errors: number;
  /** End of its backoff, in milliseconds; computed when needed. */
  backoffEndMs: number | undefined;
  /** The plugins that rejected it in the last attempt. */
  rejectors: ReadonlySet<string>;
  /** The plugin that gates it, keeping it out of the queue. */
  gate: string | undefined;
}

/** Mirrors PrioritySort: pods of higher priority come first, then those that waited longer. */
export function comesFirst(a: QueuedPod, b: QueuedPod): boolean {
  if (a.pod.priority !== b.pod.priority) return a.pod.priority > b.pod.priority;
  if (a.sinceMs !== b.sinceMs) return a.sinceMs < b.sinceMs;
  return a.order < b.order;
}
