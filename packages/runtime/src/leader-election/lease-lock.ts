import { type Clock, isNotFound, type ObjectKey } from '@kubewright/apimachinery';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import { type Instant, instantOf } from '../fencing/lease-term.ts';
import { microTime } from '../recorder/api-event.ts';
import { LeaderElectionError } from './leader-election-error.ts';
import { type Lease, LeaseKind, type LeaseSpec, onOwnConnection } from './lease.ts';

/** Runs a request, limited to its share of the remaining time. */
export type Limited = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface LeaseLockOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly name: string;
  /** @defaultValue the client's namespace */
  readonly namespace: string | undefined;
  readonly identity: string;
  readonly durationMs: number;
}

/** Reads and writes the Lease that candidates compete for, and keeps its record as last seen. */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  readonly #durationMs: number;
  #observed: Lease | undefined;
  #observedAtMs = 0;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#leases = options.client.intercepted(onOwnConnection).resource(LeaseKind);
    this.#durationMs = options.durationMs;
  }

  get key(): Required<ObjectKey> {
    const { name, namespace, client } = this.#options;
    return { name, namespace: namespace ?? client.defaultNamespace };
  }

  /** The lease as last read or written. */
  get observed(): Lease | undefined {
    return this.#observed;
  }

  /** Forgets the last seen lease; called when another client has changed the lease. */
  forget(): void {
    this.#observed = undefined;
  }

  /** Claims or creates the lease; returns the time at which the request was started. */
  async write(current: Lease | undefined, limited: Limited): Promise<Instant> {
    const leases = this.#leases;
    const since = instantOf(this.#clock);
    const lease = this.next(current);
    const write = (signal: AbortSignal): Promise<Lease> =>
      current ? leases.update(lease, { signal }) : this.#create(lease, signal);
    this.#observe(await limited(write));
    return since;
  }

  async #create(lease: Lease, signal: AbortSignal): Promise<Lease> {
    try {
      return await this.#leases.create(lease, { signal });
    } catch (error) {
      // A create returns 404 only if the namespace does not exist.
      if (!isNotFound(error)) throw error;
      const { name, namespace } = this.key;
      const text = {
        what: `cannot create lease ${namespace}/${name}`,
        why: `namespace "${namespace}" not found`,
        remedy: 'create the namespace, or set "leaderElection.namespace" to one that exists',
      };
      throw new LeaderElectionError(text, { cause: error });
    }
  }

  /** Reads the lease; undefined if it does not exist. */
  async read(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      const lease = await this.#leases.get(this.key, { signal });
      if (JSON.stringify(lease.spec) !== JSON.stringify(this.#observed?.spec)) this.#observe(lease);
      else this.#observed = lease;
      return lease;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Reports whether this candidate holds the lease. */
  isMine(spec: LeaseSpec | undefined): boolean {
    return spec?.holderIdentity === this.#options.identity;
  }

  /** Reports whether another candidate holds the lease and the lease has not expired. */
  isHeldByAnother(spec: LeaseSpec | undefined): boolean {
    if (!spec?.holderIdentity || this.isMine(spec)) return false;
    // Use the holder's duration if it is valid, otherwise this candidate's duration.
    const said = spec.leaseDurationSeconds ?? 0;
    const durationMs = said > 0 ? said * 1000 : this.#durationMs;
    return this.#observedAtMs + durationMs > this.#clock.monotonic();
  }

  #observe(lease: Lease): void {
    this.#observed = lease;
    this.#observedAtMs = this.#clock.monotonic();
  }

  /** Returns the record that claims or renews the lease. */
  next(current: Lease | undefined): Lease {
    const now = microTime(this.#clock.now());
    const renewing = this.isMine(current?.spec);
    const spec: LeaseSpec = {
      ...current?.spec,
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: Math.ceil(this.#durationMs / 1000),
      acquireTime: renewing ? (current?.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (current?.spec?.leaseTransitions ?? 0) + (current && !renewing ? 1 : 0),
    };
    const metadata = current ? current.metadata : this.key;
    return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
  }

  /** Releases the lease if this candidate still holds it, so another candidate need not wait for it to expire. */
  async release(signal: AbortSignal): Promise<void> {
    const lease = await this.read(signal);
    if (!lease || !this.isMine(lease.spec)) return;
    const now = microTime(this.#clock.now());
    const free = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
    await this.#leases.update({ ...lease, spec: { ...lease.spec, ...free } }, { signal });
  }
}
