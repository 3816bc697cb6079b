import { type Clock, isConflict, isNotFound, type Stored, sleep } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';
import type { LeaseState } from '../decision/situation.ts';
import { type HeldLease, heldSince } from './held-lease.ts';
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
  /**
   * Requests all other instances to confirm that they will not acquire the Lease for `forMs`. Called while the API server is
   * unreachable.
   */
  readonly confirm: (signal: AbortSignal, forMs: number) => Promise<boolean>;
  /**
   * Called when the Lease can no longer be relied on. The server must have stopped after `withinMs`: later, another instance may
   * acquire the Lease.
   */
  readonly onLost: (lost: { readonly why: string; readonly withinMs: number }) => void;
  /** Called when the state may have changed. */
  readonly onChange: () => void;
}

/**
 * The Lease that the primary of a cluster holds. No other instance can acquire it before it has been unchanged for its duration, measured
 * with a monotonic clock. The holder gives up earlier, at the renew deadline.
 */
export class PrimaryLease {
  readonly #options: PrimaryLeaseOptions;
  readonly #leases: ResourceClient<Lease>;
  #observed: ObservedLease | undefined;
  /** Undefined unless this instance holds the Lease. */
  #held: HeldLease | undefined;
  /** Until when this instance has promised a primary not to acquire the Lease. */
  #promise: { readonly holder: string; readonly untilMs: number } | undefined;
  /** The version that this instance tried to replace, until another version is seen: the request may still arrive. */
  #replacing: string | undefined;
  #isFailing = false;
  #isAbandoned = false;
  #isReleased = false;
  #renewing: Promise<void> | undefined;
  #wake: (() => void) | undefined;

  constructor(options: PrimaryLeaseOptions) {
    this.#options = options;
    this.#leases = options.client.resource(Lease);
  }

  get state(): LeaseState {
    const { instance, clock } = this.#options;
    if (this.isHeld) return { state: 'held', holder: instance };
    if (this.#promisedMs > 0) return { state: 'taken', holder: this.#promise?.holder };
    return leaseState(this.#observed, { name: instance, nowMs: clock.monotonic() });
  }

  get isHeld(): boolean {
    return this.#remainingMs > 0;
  }

  /** Time until another instance's Lease expires, in milliseconds; undefined if there is nothing to wait for. */
  get expiresInMs(): number | undefined {
    const expiresAtMs = this.#observed && !this.isHeld ? expiryOf(this.#observed) : undefined;
    const ms = expiresAtMs === undefined ? 0 : expiresAtMs - this.#options.clock.monotonic();
    const longest = Math.max(ms, this.#promisedMs);
    return longest > 0 ? longest : undefined;
  }

  /** Records the Lease as read from the API server. */
  observe(lease: Stored<Lease> | undefined): void {
    if (!lease) return;
    if (lease.metadata.resourceVersion !== this.#replacing) this.#replacing = undefined;
    this.#observed = observeLease(this.#observed, lease, this.#options.clock.monotonic());
  }

  /**
   * Promises not to acquire the Lease for `forMs` from now, if `holder` is the last known holder. The holder sends the duration,
   * because it may have renewed with a longer one that this instance has not seen.
   *
   * @returns true if it was promised; false while this instance may be acquiring the Lease
   */
  promise(holder: string, forMs: number): boolean {
    const isHolder = this.#observed?.lease.spec?.holderIdentity === holder;
    if (!isHolder || this.isHeld || this.#replacing !== undefined) return false;
    const untilMs = this.#options.clock.monotonic() + forMs;
    const before = this.#promise?.holder === holder ? this.#promise.untilMs : 0;
    this.#promise = { holder, untilMs: Math.max(untilMs, before) };
    return true;
  }

  /** Acquires the Lease if it is free. */
  async acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log, instance } = this.#options;
    const { renewDeadlineSeconds = 10 } = this.#options.timing();
    this.#isAbandoned = false;
    this.#isReleased = false;
    const attempt = async (limited: AbortSignal): Promise<boolean> => {
      this.observe(await this.#read(limited));
      if (this.state.state !== 'free') return false;
      const acquired = await this.#write(limited);
      if (acquired) log.info('acquired the Lease', { lease: this.#options.name, instance });
      this.#wake?.();
      return acquired;
    };
    return within(attempt, { clock, ms: (renewDeadlineSeconds * 1000) / 2, signal });
  }

  /** Gives the Lease up, so that another instance can acquire it immediately. The server must have stopped. */
  async release(): Promise<void> {
    const { clock, log } = this.#options;
    this.#held = undefined;
    this.#isReleased = true;
    try {
      await within((signal) => this.#giveUp(signal), { clock, ms: 2_000 });
    } catch (error) {
      log.warn('cannot release the Lease; it will expire', { lease: this.#options.name, error });
    }
    this.#options.onChange();
  }

  async #giveUp(signal: AbortSignal): Promise<void> {
    const { clock, log, instance, name } = this.#options;
    // A renewal that is still on its way would claim the Lease again.
    await this.#renewing;
    for (;;) {
      const lease = await this.#read(signal);
      this.observe(lease);
      if (lease?.spec?.holderIdentity !== instance || !this.#isReleased) return;
      const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime(clock.now()) };
      try {
        this.observe(await this.#leases.update({ ...lease, spec }, { signal }));
        log.info('released the Lease', { lease: name, instance });
        return;
      } catch (error) {
        // The response to a renewal was lost, but the API server has stored it.
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** Lets the Lease expire, because the server cannot be stopped: another instance must not acquire it any earlier. */
  abandon(): void {
    if (this.#held === undefined) return;
    const { log, name, onChange } = this.#options;
    this.#held = undefined;
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
      if (signal.aborted || this.#held === undefined) continue;
      if (this.isHeld) {
        this.#renewing = this.#renew(signal);
        await this.#renewing;
      }
      // Released in the meantime, or still valid.
      if (this.#held === undefined || this.isHeld) continue;
      this.#lose('it could not be renewed in time');
    }
  }

  /** Time for which the Lease can be relied on. */
  get #remainingMs(): number {
    return this.#held ? Math.max(this.#held.untilMs - this.#options.clock.monotonic(), 0) : 0;
  }

  /** Time for which this instance has promised another one not to acquire the Lease. The promise ends when the other is no longer the holder. */
  get #promisedMs(): number {
    if (!this.#promise || this.#observed?.lease.spec?.holderIdentity !== this.#promise.holder) return 0;
    return Math.max(this.#promise.untilMs - this.#options.clock.monotonic(), 0);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const held = this.#held;
    this.#shorten();
    const shortened = this.#held;
    try {
      const isMine = await within((limited) => this.#write(limited), { clock, ms: this.#remainingMs / 2, signal });
      if (this.#isFailing) log.info('renewed the Lease again', { lease: this.#options.name });
      this.#isFailing = false;
      if (!isMine && !this.#isReleased) this.#lose('another instance holds it');
    } catch (error) {
      if (signal.aborted || held === undefined || this.#held !== shortened) return;
      if (!this.#isFailing) log.warn('cannot renew the Lease', { lease: this.#options.name, error });
      this.#isFailing = true;
      await this.#requestConfirmation(signal);
    }
  }

  async #requestConfirmation(signal: AbortSignal): Promise<void> {
    const { clock, confirm, log } = this.#options;
    const since = clock.monotonic();
    const held = this.#held;
    if (!held) return;
    const request = (limited: AbortSignal): Promise<boolean> => confirm(limited, held.durationMs);
    const isConfirmed = await within(request, { clock, ms: this.#remainingMs / 2, signal }).catch(() => false);
    if (!isConfirmed || this.#held !== held || !this.isHeld) return;
    log.debug('all instances confirm that the API server is unreachable; keeping the server running');
    this.#held = { ...held, untilMs: since + held.deadlineMs, expiresAtMs: since + held.durationMs };
  }

  /** A renewal may shorten the Lease although its response is lost, so the shorter times hold from the request on. */
  #shorten(): void {
    if (!this.#held) return;
    const next = heldSince(this.#options.clock.monotonic(), this.#options.timing());
    this.#held = {
      deadlineMs: Math.min(this.#held.deadlineMs, next.deadlineMs),
      durationMs: Math.min(this.#held.durationMs, next.durationMs),
      untilMs: Math.min(this.#held.untilMs, next.untilMs),
      expiresAtMs: Math.min(this.#held.expiresAtMs, next.expiresAtMs),
    };
  }

  /** Claims or renews the Lease. Returns false if another instance holds it. */
  async #write(signal: AbortSignal): Promise<boolean> {
    const { clock, instance } = this.#options;
    for (;;) {
      const current = this.#observed?.lease as Stored<Lease> | undefined;
      if (!current) return false;
      // Longer times hold only once the Lease has them.
      const timing = this.#options.timing();
      const held = heldSince(clock.monotonic(), timing);
      this.#replacing = current.metadata.resourceVersion;
      try {
        this.observe(await this.#leases.update({ ...current, spec: this.#claimed(current, timing) }, { signal }));
        // The Lease may have been given up while the request was on its way.
        this.#held = this.#isAbandoned || this.#isReleased ? undefined : held;
        return true;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        if (this.#isReleased) return false;
        // The Lease was written in between: the response to an earlier renewal was lost, or another client labeled or took the
        // Lease.
        const lease = await this.#read(signal);
        this.observe(lease);
        const holder = lease?.spec?.holderIdentity;
        if (!lease || (holder !== instance && (this.isHeld || holder))) return false;
      }
    }
  }

  #claimed({ spec }: Lease, { durationSeconds = 15 }: LeaseTiming): NonNullable<Lease['spec']> {
    const { instance, clock } = this.#options;
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
    const { log, name, onLost, onChange, clock } = this.#options;
    const expiresAtMs = this.#held?.expiresAtMs ?? 0;
    this.#held = undefined;
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
