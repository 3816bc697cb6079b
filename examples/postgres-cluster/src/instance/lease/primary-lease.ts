import { type Clock, isConflict, isNotFound, type Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import type { LeaseTiming } from '../../api/v1/postgres-cluster.ts';
import type { LeaseState } from '../decision/situation.ts';
import { Waker } from '../waker.ts';
import { type HeldLease, heldSince } from './held-lease.ts';
import {
  claimedSpec,
  expiryOf,
  isHeldBy,
  leaseState,
  microTime,
  type ObservedLease,
  observeLease,
  podAnnotation,
} from './lease-state.ts';
import { within } from './within.ts';

export interface PrimaryLeaseOptions {
  readonly client: KubernetesClient;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Name of this instance, which is its identity as a holder. */
  readonly instance: string;
  /** UID of this pod; see {@link podAnnotation}. */
  readonly pod: string;
  readonly timing: () => LeaseTiming;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Requests that all other instances promise not to acquire the Lease for `forMs`. Called while the API server is unreachable.
   */
  readonly confirm: (signal: AbortSignal, forMs: number) => Promise<boolean>;
  /**
   * Called when this instance must no longer rely on the Lease. The server must stop within `withinMs`; after that, another
   * instance may acquire the Lease.
   */
  readonly onLost: (lost: { readonly why: string; readonly withinMs: number }) => void;
  /** Called when it is known that no other instance can acquire the Lease for `forMs`. */
  readonly onHeld?: (forMs: number) => void;
  /** Called when the state may have changed. */
  readonly onChange: () => void;
}

/**
 * The Lease that a cluster's primary holds. Another instance can acquire the Lease only if the Lease has not changed
 * for its whole duration, measured with a monotonic clock. The holder gives up earlier, at the renew deadline.
 */
export class PrimaryLease {
  readonly #options: PrimaryLeaseOptions;
  readonly #leases: ResourceClient<Lease>;
  #observed: ObservedLease | undefined;
  /** Undefined unless this instance holds the Lease. */
  #held: HeldLease | undefined;
  /** This instance's promise to a primary not to acquire the Lease until `untilMs`. */
  #promise: { readonly holder: string; readonly untilMs: number } | undefined;
  /**
   * The resource version that this instance last tried to replace. Stays set until another version is seen, because the
   * request may still take effect.
   */
  #replacing: string | undefined;
  #isFailing = false;
  #isAbandoned = false;
  #isReleased = false;
  #renewing: Promise<void> | undefined;
  readonly #waker: Waker;

  constructor(options: PrimaryLeaseOptions) {
    this.#options = options;
    this.#leases = options.client.resource(Lease);
    this.#waker = new Waker(options.clock);
  }

  get state(): LeaseState {
    const { instance, pod, clock } = this.#options;
    if (this.isHeld) return { state: 'held', holder: instance };
    if (this.#promisedMs > 0) return { state: 'taken', holder: this.#promise?.holder };
    return leaseState(this.#observed, { instance, pod, nowMs: clock.monotonic() });
  }

  get isHeld(): boolean {
    return this.#remainingMs > 0;
  }

  /**
   * Milliseconds until another instance's Lease expires, or until this instance's promise ends; undefined if there is nothing to
   * wait for.
   */
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
   * Promises not to acquire the Lease for `forMs`, if `holder` is the last known holder. The holder sends the duration,
   * because this instance may have missed a renewal that extended it.
   *
   * @returns true if this instance promises; false for another holder, or while this instance may be acquiring the
   *   Lease
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
      this.#waker.wake();
      return acquired;
    };
    return within(attempt, { clock, ms: (renewDeadlineSeconds * 1000) / 2, signal });
  }

  /** Releases the Lease, so that another instance can acquire it immediately. Call this only after the server has stopped. */
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
    // A renewal in progress would claim the Lease again.
    await this.#renewing;
    for (;;) {
      const lease = await this.#read(signal);
      this.observe(lease);
      if (!lease || !isHeldBy(lease, this.#options) || !this.#isReleased) return;
      const spec = { ...lease.spec, holderIdentity: '', renewTime: microTime(clock.now()) };
      try {
        this.observe(await this.#leases.update({ ...lease, spec }, { signal }));
        log.info('released the Lease', { lease: name, instance });
        return;
      } catch (error) {
        // A conflict: the API server stored a renewal whose response was lost.
        if (!isConflict(error)) throw error;
      }
    }
  }

  /**
   * Stops renewing the Lease without releasing it. Used if the server cannot be stopped: another instance must wait until the
   * Lease expires.
   */
  abandon(): void {
    if (this.#held === undefined) return;
    const { log, name, onChange } = this.#options;
    this.#held = undefined;
    this.#isAbandoned = true;
    log.error('stopped renewing the Lease', { lease: name });
    onChange();
  }

  /** Renews the Lease as long as it is held, until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { retryPeriodSeconds = 2 } = this.#options.timing();
      const ms = this.isHeld ? Math.min(retryPeriodSeconds * 1000, this.#remainingMs) : retryPeriodSeconds * 1000;
      await this.#waker.sleep(ms, signal);
      this.#waker.reset();
      if (signal.aborted || this.#held === undefined) continue;
      if (this.isHeld) {
        this.#renewing = this.#renew(signal);
        await this.#renewing;
      }
      // The Lease was released in the meantime, or is still held.
      if (this.#held === undefined || this.isHeld) continue;
      this.#lose('the Lease could not be renewed in time');
    }
  }

  /** Milliseconds for which this instance can still rely on the Lease. */
  get #remainingMs(): number {
    return this.#held ? Math.max(this.#held.untilMs - this.#options.clock.monotonic(), 0) : 0;
  }

  /**
   * Milliseconds left of this instance's promise not to acquire the Lease. The promise ends early if the Lease's
   * holder changes.
   */
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
      if (!isMine && !this.#isReleased) this.#lose('another instance holds the Lease');
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
    this.#notifyHeld();
  }

  /** Applies shorter timing before a renewal is sent: the renewal may take effect even if its response is lost. */
  #shorten(): void {
    if (!this.#held) return;
    const next = heldSince(this.#options.clock.monotonic(), this.#options.timing());
    this.#held = {
      deadlineMs: Math.min(this.#held.deadlineMs, next.deadlineMs),
      durationMs: Math.min(this.#held.durationMs, next.durationMs),
      untilMs: Math.min(this.#held.untilMs, next.untilMs),
      expiresAtMs: Math.min(this.#held.expiresAtMs, next.expiresAtMs),
    };
    this.#notifyHeld();
  }

  /** Claims or renews the Lease. Returns false if another instance holds it. */
  async #write(signal: AbortSignal): Promise<boolean> {
    const { clock, pod } = this.#options;
    for (;;) {
      const current = this.#observed?.lease as Stored<Lease> | undefined;
      if (!current) return false;
      // Longer timing takes effect only after the Lease was written.
      const timing = this.#options.timing();
      const held = heldSince(clock.monotonic(), timing);
      const annotations = { ...current.metadata.annotations, [podAnnotation]: pod };
      const metadata = { ...current.metadata, annotations };
      this.#replacing = current.metadata.resourceVersion;
      try {
        this.observe(
          await this.#leases.update(
            { ...current, metadata, spec: claimedSpec(current, { ...this.#options, timing }) },
            { signal },
          ),
        );
        // The Lease may have been released or abandoned during the request.
        this.#held = this.#isAbandoned || this.#isReleased ? undefined : held;
        this.#notifyHeld();
        return true;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        if (this.#isReleased) return false;
        // Something else wrote the Lease: an earlier renewal whose response was lost, another instance that acquired it, or a
        // client that, for example, labeled it.
        const lease = await this.#read(signal);
        this.observe(lease);
        if (!lease) return false;
        const isFree = !lease.spec?.holderIdentity && !this.isHeld;
        if (!isFree && !isHeldBy(lease, this.#options)) return false;
      }
    }
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

  #notifyHeld(): void {
    if (this.#held) this.#options.onHeld?.(this.#held.expiresAtMs - this.#options.clock.monotonic());
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
    return this.#observed === undefined || !isHeldBy(this.#observed.lease, this.#options);
  }
}
