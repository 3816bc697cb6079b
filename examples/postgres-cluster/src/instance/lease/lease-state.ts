import type { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { LeaseState } from '../decision/situation.ts';

/** A Lease and when it was last seen to change. Its own times are not compared: clocks differ between machines. */
export interface ObservedLease {
  readonly lease: Lease;
  /** On the monotonic clock of this machine. */
  readonly changedAtMs: number;
}

/** Returns the newer observation. The time stays unchanged if the holder has changed nothing. */
export function observeLease(before: ObservedLease | undefined, lease: Lease, nowMs: number): ObservedLease {
  const isSame = before !== undefined && JSON.stringify(before.lease.spec) === JSON.stringify(lease.spec);
  return { lease, changedAtMs: isSame ? before.changedAtMs : nowMs };
}

/** Returns when another instance may acquire the Lease; undefined if it has no holder. */
export function expiryOf({ lease, changedAtMs }: ObservedLease): number | undefined {
  const { holderIdentity, leaseDurationSeconds = 15 } = lease.spec ?? {};
  return holderIdentity ? changedAtMs + leaseDurationSeconds * 1000 : undefined;
}

/** Describes a Lease that this instance does not hold. An expired one has no holder. */
export function leaseState(observed: ObservedLease | undefined, options: { name: string; nowMs: number }): LeaseState {
  // Unknown until it has been read, because another instance may hold it.
  if (observed === undefined) return { state: 'taken', holder: 'another instance' };
  const holder = observed.lease.spec?.holderIdentity;
  const expiresAtMs = expiryOf(observed);
  if (expiresAtMs === undefined || holder === options.name || options.nowMs >= expiresAtMs) return { state: 'free' };
  return { state: 'taken', holder };
}
