import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';

/**
 * The holder's view of its Lease, with the timing that was last written to it. Changed timing in the cluster's spec takes effect
 * with the next renewal, because the other instances rely on what the Lease says.
 */
export interface HeldLease {
  readonly deadlineMs: number;
  readonly durationMs: number;
  /** Monotonic time at which the holder must give up. */
  readonly untilMs: number;
  /** Monotonic time before which no other instance can acquire the Lease. */
  readonly expiresAtMs: number;
}

/** Returns the holder's view after a renewal with this timing, which was sent at `sinceMs`. */
export function heldSince(
  sinceMs: number,
  { durationSeconds = 15, renewDeadlineSeconds = 10 }: LeaseTiming,
): HeldLease {
  const durationMs = durationSeconds * 1000;
  const deadlineMs = Math.min(renewDeadlineSeconds * 1000, durationMs);
  return { deadlineMs, durationMs, untilMs: sinceMs + deadlineMs, expiresAtMs: sinceMs + durationMs };
}
