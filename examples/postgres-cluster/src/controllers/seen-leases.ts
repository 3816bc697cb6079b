import type { Clock, Stored } from '@kubewright/apimachinery';
import type { Lease } from '@kubewright/apimachinery/coordination/v1';
import { expiryOf, type ObservedLease, observeLease } from '../instance/lease/lease-state.ts';

/**
 * Records when this operator saw each Lease change, on a monotonic clock. The times in a Lease are not used, because
 * clocks differ between machines. A Lease seen for the first time counts as just renewed.
 */
export class SeenLeases {
  readonly #clock: Clock;
  readonly #seen = new Map<string, ObservedLease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records a Lease. Call this for each change, so that the expiry is exact. */
  see(lease: Stored<Lease>): ObservedLease {
    const { uid } = lease.metadata;
    const seen = observeLease(this.#seen.get(uid), lease, this.#clock.monotonic());
    this.#seen.set(uid, seen);
    return seen;
  }

  /** Discards a deleted Lease. */
  forget({ metadata: { uid } }: Stored<Lease>): void {
    this.#seen.delete(uid);
  }

  /** Returns the milliseconds until a Lease expires unless it is renewed; undefined if it has no holder. */
  expiresInMs(lease: Stored<Lease>): number | undefined {
    const known = this.#seen.get(lease.metadata.uid);
    // The cache may be older than the last recorded renewal.
    const isKnown = known?.lease.spec?.holderIdentity === lease.spec?.holderIdentity;
    const expiresAtMs = expiryOf(known && isKnown ? known : this.see(lease));
    return expiresAtMs === undefined ? undefined : Math.max(expiresAtMs - this.#clock.monotonic(), 0);
  }
}
