import type { Clock } from '@kubewright/apimachinery';
import type { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';
import type { LeaseState } from '../decision/situation.ts';

/**
 * A Lease, and the time at which this instance last saw it change. The times in the Lease are not used, because clocks
 * differ between machines.
 */
export interface ObservedLease {
  readonly lease: Lease;
  /** Monotonic time of this machine. */
  readonly changedAtMs: number;
}

/**
 * Annotation on the Lease with the UID of the holder's pod. The pod's name is not enough: a replaced pod of the same
 * name may still run on a lost node.
 */
export const podAnnotation = 'database.db.example.com/holder-pod';

/** An instance and its pod. */
export interface LeaseHolder {
  readonly instance: string;
  /** UID of the pod. Empty if an older operator, which does not pass it, created the pod. */
  readonly pod: string;
}

/** Returns true if this pod of an instance holds the Lease. */
export function isHeldBy({ metadata, spec }: Lease, { instance, pod }: LeaseHolder): boolean {
  return spec?.holderIdentity === instance && (metadata.annotations?.[podAnnotation] ?? '') === pod;
}

/** Returns the new observation. Keeps the old time if the Lease's spec is unchanged. */
export function observeLease(before: ObservedLease | undefined, lease: Lease, nowMs: number): ObservedLease {
  const isSame = before !== undefined && JSON.stringify(before.lease.spec) === JSON.stringify(lease.spec);
  return { lease, changedAtMs: isSame ? before.changedAtMs : nowMs };
}

/** Returns the time at which another instance may acquire the Lease, or undefined if it has no holder. */
export function expiryOf({ lease, changedAtMs }: ObservedLease): number | undefined {
  const { holderIdentity, leaseDurationSeconds = 15 } = lease.spec ?? {};
  return holderIdentity ? changedAtMs + leaseDurationSeconds * 1000 : undefined;
}

/**
 * Returns the state of a Lease that this pod does not hold. A Lease is free once it has expired, or if this pod held it before the
 * instance manager restarted.
 */
export function leaseState(
  observed: ObservedLease | undefined,
  options: LeaseHolder & { readonly nowMs: number },
): LeaseState {
  // A Lease that has not been read yet counts as taken, because another instance may hold it.
  if (observed === undefined) return { state: 'taken', holder: 'another instance' };
  const holder = observed.lease.spec?.holderIdentity;
  const expiresAtMs = expiryOf(observed);
  if (expiresAtMs === undefined || isHeldBy(observed.lease, options) || options.nowMs >= expiresAtMs)
    return { state: 'free' };
  return { state: 'taken', holder };
}

/** Returns the spec with which an instance acquires or renews a Lease. */
export function claimedSpec(
  lease: Lease,
  {
    instance,
    pod,
    clock,
    timing: { durationSeconds = 15 },
  }: { readonly instance: string; readonly pod: string; readonly clock: Clock; readonly timing: LeaseTiming },
): NonNullable<Lease['spec']> {
  const { spec } = lease;
  const now = microTime(clock.now());
  const isMine = isHeldBy(lease, { instance, pod });
  return {
    ...spec,
    holderIdentity: instance,
    leaseDurationSeconds: durationSeconds,
    acquireTime: (isMine && spec?.acquireTime) || now,
    renewTime: now,
    leaseTransitions: (spec?.leaseTransitions ?? 0) + (isMine ? 0 : 1),
  };
}

/** Formats a time as a `MicroTime`. */
export function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
