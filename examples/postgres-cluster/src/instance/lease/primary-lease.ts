import { type Clock, isConflict, isNotFound, type Stored, sleep } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';
import type { LeaseState } from '../decision/situation.ts';
import { expiryOf, leaseState, type ObservedLease, observeLease } from './lease-state.ts';
import { within } from './within.ts';

export interface PrimaryLeaseOptions {
  readonly client: KubernetesClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Name of this instance, the holder. */
  readonly instance: string;
  readonly timing: () => LeaseTiming;
  readonly clock: Clock;
  readonly log: Logger;
  /** Requests all other instances to confirm that they will not acquire the Lease. Called while the API server is unreachable. */
  readonly confirm: (signal: AbortSignal) => Promise<boolean>;
  /**
   * Called when the Lease can no longer be relied on. The server must have stopped after `withinMs`: later, another instance may
   * acquire the Lease.
   */
  readonly onLost: (lost: { readonly why: string; readonly withinMs: number }) => void;
  /** Called when the state may have changed. */
  readonly onChange: () => void;
}

/**
 * The Lease that the primary of a cluster holds. No other instance can acquire it before it was unchanged for its duration, as observed by
 * a clock that no one sets. The holder gives up earlier, at the renew deadline.
 */
export class PrimaryLease {
  readonly #options: PrimaryLeaseOptions;
  readonly #leases: ResourceClient<Lease>;
  #observed: ObservedLease | undefined;
  /** When the last successful renewal was sent; undefined unless this instance holds the Lease. */
  #heldSinceMs: number | undefined;
  #isFailing = false;
  #isAbandoned = false;
  #wake: (() => void) | undefined;

  constructor(options: PrimaryLeaseOptions) {
    this.#options = options;
    this.#leases = options.client.resource(Lease);
  }

  get state(): LeaseState {
    const { instance, clock } = this.#options;
    if (this.isHeld) return { state: 'held', holder: instance };
    return leaseState(this.#observed, { name: instance, nowMs: clock.monotonic() });
  }

  get isHeld(): boolean {
    return this.#remainingMs > 0;
  }

  /** Time until another instance's Lease expires, in milliseconds; undefined if there is nothing to wait for. */
  get expiresInMs(): number | undefined {
    const expiresAtMs = this.#observed && !this.isHeld ? expiryOf(this.#observed) : undefined;
    const ms = expiresAtMs === undefined ? 0 : expiresAtMs - this.#options.clock.monotonic();
    return ms > 0 ? ms : undefined;
  }

  /** Records the Lease as read from the API server. */
  observe(lease: Stored<Lease> | undefined): void {
    if (lease) this.#observed = observeLease(this.#observed, lease, this.#options.clock.monotonic());
  }

  /**
   * Promises not to acquire the Lease for its duration from now, if `holder` is the last known holder.
   *
   * @returns true if it was promised
   */
  promise(holder: string): boolean {
    if (this.#observed?.lease.spec?.holderIdentity !== holder || this.isHeld) return false;
    this.#observed = { ...this.#observed, changedAtMs: this.#options.clock.monotonic() };
    return true;
  }

  /** Acquires the Lease if it is free. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log, instance } = this.#options;
    const { renewDeadlineSeconds = 10 } = this.#options.timing();
    this.#isAbandoned = false;
    return within(
      async (limited) => {
        this.observe(await this.#read(limited));
        if (this.state.state !== 'free') return false;
        const acquired = await this.#write(limited);
        if (acquired) log.info('acquired the Lease', { lease: this.#options.name, instance });
        this.#wake?.();
        return acquired;
      },
      { clock, ms: (renewDeadlineSeconds * 1000) / 2, signal },
    );
  }

  /** Gives the Lease up, so that another instance can acquire it immediately. The server must have stopped. */
  async release(): Promise<void> {
    const { clock, log, instance } = this.#options;
    this.#heldSinceMs = undefined;
    try {
      await within(
        async (signal) => {
          const lease = await this.#read(signal);
          this.observe(lease);
          if (lease?.spec?.holderIdentity !== instance) return;
          const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime(clock.now()) };
          this.observe(await this.#leases.update({ ...lease, spec }, { signal }));
          log.info('released the Lease', { lease: this.#options.name, instance });
        },
        { clock, ms: 2_000 },
      );
    } catch (error) {
      log.warn('cannot release the Lease; it will expire', { lease: this.#options.name, error });
    }
    this.#options.onChange();
  }

  /** Lets the Lease expire, because the server cannot be stopped: another instance must not acquire it any earlier. */
  abandon(): void {
    if (this.#heldSinceMs === undefined) return;
    const { log, name, onChange } = this.#options;
    this.#heldSinceMs = undefined;
    this.#isAbandoned = true;
    log.error('no longer renewing the Lease', { lease: name });
    onChange();
  }

  /** Renews the Lease as long as it is held, until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { retryPeriodSeconds = 2 } = this.#options.timing();
      const ms = this.isHeld ? Math.min(retryPeriodSeconds * 1000, this.#remainingMs) : retryPeriodSeconds * 1000;
      await this.#sleep(ms, signal);
      if (signal.aborted || this.#heldSinceMs === undefined) continue;
      if (this.isHeld) await this.#renew(signal);
      // Released in the meantime, or still valid.
      if (this.#heldSinceMs === undefined || this.isHeld) continue;
      this.#lose('it could not be renewed in time');
    }
  }

  /** Time for which the Lease can be relied on. */
  get #remainingMs(): number {
    if (this.#heldSinceMs === undefined) return 0;
    const { renewDeadlineSeconds = 10 } = this.#options.timing();
    return Math.max(this.#heldSinceMs + renewDeadlineSeconds * 1000 - this.#options.clock.monotonic(), 0);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const held = this.#heldSinceMs;
    try {
      const isMine = await within((limited) => this.#write(limited), { clock, ms: this.#remainingMs / 2, signal });
      if (this.#isFailing) log.info('renewed the Lease again', { lease: this.#options.name });
      this.#isFailing = false;
      if (!isMine) this.#lose('another instance holds it');
    } catch (error) {
      if (signal.aborted || this.#heldSinceMs !== held) return;
      if (!this.#isFailing) log.warn('cannot renew the Lease', { lease: this.#options.name, error });
      this.#isFailing = true;
      await this.#askOthers(signal);
    }
  }

  async #askOthers(signal: AbortSignal): Promise<void> {
    const { clock, confirm, log } = this.#options;
    const since = clock.monotonic();
    const held = this.#heldSinceMs;
    const withinMs = this.#remainingMs / 2;
    const isConfirmed = await within(confirm, { clock, ms: withinMs, signal }).catch(() => false);
    if (!isConfirmed || this.#heldSinceMs !== held || !this.isHeld) return;
    log.debug('all instances confirm that the API server is unreachable; keeping the server running');
    this.#heldSinceMs = since;
  }

  /** Claims or renews the Lease. Returns false if another instance holds it. */
  async #write(signal: AbortSignal): Promise<boolean> {
    const { clock, instance } = this.#options;
    for (;;) {
      const current = this.#observed?.lease as Stored<Lease> | undefined;
      if (!current) return false;
      const since = clock.monotonic();
      try {
        this.observe(await this.#leases.update({ ...current, spec: this.#claimed(current) }, { signal }));
        // A renewal that was under way changes nothing.
        this.#heldSinceMs = this.#isAbandoned ? undefined : since;
        return true;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        // Someone wrote in between: the response to an earlier renewal was lost, or the Lease was labeled, or taken.
        const lease = await this.#read(signal);
        this.observe(lease);
        const holder = lease?.spec?.holderIdentity;
        if (!lease || (holder !== instance && (this.isHeld || holder))) return false;
      }
    }
  }

  #claimed({ spec }: Lease): NonNullable<Lease['spec']> {
    const { instance, clock } = this.#options;
    const { durationSeconds = 15 } = this.#options.timing();
    const now = microTime(clock.now());
    const isMine = spec?.holderIdentity === instance;
    return {
      ...spec,
      holderIdentity: instance,
      leaseDurationSeconds: durationSeconds,
      acquireTime: (isMine && spec?.acquireTime) || now,
      renewTime: now,
      leaseTransitions: (spec?.leaseTransitions ?? 0) + (isMine ? 0 : 1),
    };
  }

  async #read(signal: AbortSignal): Promise<Stored<Lease> | undefined> {
    const { namespace, name } = this.#options;
    try {
      return await this.#leases.get({ namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #lose(why: string): void {
    const { log, name, onLost, onChange, clock, timing } = this.#options;
    const { durationSeconds = 15 } = timing();
    const expiresAtMs = (this.#heldSinceMs ?? 0) + durationSeconds * 1000;
    this.#heldSinceMs = undefined;
    log.error('lost the Lease', { lease: name, why });
    onLost({ why, withinMs: this.#isTaken ? 0 : Math.max(expiresAtMs - clock.monotonic(), 0) });
    onChange();
  }

  get #isTaken(): boolean {
    const holder = this.#observed?.lease.spec?.holderIdentity;
    return holder !== this.#options.instance;
  }

  /** Sleeps at most `ms`; less if the Lease is acquired in the meantime. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    this.#wake = () => over.abort();
    const either = AbortSignal.any([signal, over.signal]);
    await sleep(this.#options.clock, { ms, signal: either }).catch(() => undefined);
    this.#wake = undefined;
  }
}

function microTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
