import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';

/**
 * A Lease from its holder's view, with the times that were written to it. Changed times in the cluster's spec have no effect before
 * the next renewal: other instances only know what they read.
 */
export interface HeldLease {
  readonly deadlineMs: number;
  readonly durationMs: number;
  /** The holder gives up at this time, on its monotonic clock. */
  readonly untilMs: number;
  /** Another instance cannot acquire the Lease before this time. */
  readonly expiresAtMs: number;
}

/** Returns the holder's view after a renewal with these times was sent at `sinceMs`. */
export function heldSince(
  sinceMs: number,
  { durationSeconds = 15, renewDeadlineSeconds = 10 }: LeaseTiming,
): HeldLease {
  const durationMs = durationSeconds * 1000;
  const deadlineMs = Math.min(renewDeadlineSeconds * 1000, durationMs);
  return { deadlineMs, durationMs, untilMs: sinceMs + deadlineMs, expiresAtMs: sinceMs + durationMs };
}
