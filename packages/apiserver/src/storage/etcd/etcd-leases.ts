import type { Clock, Random } from '@kubewright/apimachinery';
import type { EtcdClient } from './etcd-client.ts';

interface Lease {
  readonly id: number;
  readonly endMs: number;
  keys: number;
}

/** Maximum number of keys of a lease, and the time for which a lease accepts new keys, as in kube-apiserver (1.36). */
const maxKeys = 1000;
const reuseSeconds = 60;

/** Grants leases for keys that expire. Keys with the same time to live share a lease for a while, as in kube-apiserver. */
export class EtcdLeases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #leases = new Map<number, Promise<Lease>>();

  constructor(client: EtcdClient, { clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#client = client;
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns the id of a lease that lasts at least `ttlSeconds` from now. */
  async lease(ttlSeconds: number): Promise<number> {
    let pending = this.#leases.get(ttlSeconds);
    while (pending) {
      const known = await pending;
      if (known.keys < maxKeys && known.endMs >= this.#clock.monotonic() + ttlSeconds * 1000) {
        known.keys++;
        return known.id;
      }
      // Another call may have requested a new lease meanwhile.
      const latest = this.#leases.get(ttlSeconds);
      if (latest === pending) break;
      pending = latest;
    }
    const granted = this.#grant(ttlSeconds);
    this.#leases.set(ttlSeconds, granted);
    // After a failure, the next call requests a new lease.
    granted.catch(() => this.#leases.delete(ttlSeconds));
    return (await granted).id;
  }

  async #grant(ttlSeconds: number): Promise<Lease> {
    const seconds = ttlSeconds + Math.min(reuseSeconds, Math.floor(ttlSeconds * 0.05));
    const id = 1 + Math.floor(this.#random.next() * (Number.MAX_SAFE_INTEGER - 1));
    const endMs = this.#clock.monotonic() + seconds * 1000;
    await this.#client.grantLease({ id, ttlSeconds: seconds });
    return { id, endMs, keys: 1 };
  }
}
