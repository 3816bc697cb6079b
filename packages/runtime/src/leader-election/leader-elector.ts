import { hostname } from 'node:os';
import {
  type Clock,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubernetesObject,
  type Random,
  sleep,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { type Instant, LeaseTerm } from '../fencing/lease-term.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { OnceLogger } from '../log/once-logger.ts';
import { LeaderElectionError } from './leader-election-error.ts';
import type { LeaderElectionOptions } from './leader-election-options.ts';
import { LeaseLock, type Limited } from './lease-lock.ts';
import { withTimeout } from './with-timeout.ts';

const jitter = 1.2;

export interface LeaderElectorOptions extends LeaderElectionOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called when a term begins and when it ends, with the Lease as last seen; client-go records events at these points. */
  readonly onTerm?: (what: 'became leader' | 'stopped leading', lease: KubernetesObject) => void;
}

/**
 * Campaigns for a Lease and keeps it renewed. Interoperates with client-go's leader election (1.36) and mirrors it: a
 * lease expires one lease duration after its record was last seen to change; the times in the record are ignored.
 * Losing the lease ends the term, not the process; the next campaign begins once the term's work has ended.
 *
 * @example
 * ```ts
 * const elector = new LeaderElector({ id: 'backup.example.com', client, clock, random, log });
 * ```
 */
export class LeaderElector {
  /** Name of the Lease. */
  readonly name: string;
  /** Identity of this candidate in the Lease: the given identity, or the host name, `_` and a UUID. */
  readonly identity: string;
  readonly #options: LeaderElectorOptions;
  readonly #lock: LeaseLock;
  readonly #leaseMs: number;
  readonly #renewMs: number;
  readonly #retryMs: number;
  readonly #trouble = new OnceLogger();
  #term: LeaseTerm | undefined;
  #terms = 0;

  /** @throws LeaderElectionError (KW3008) unless lease duration > renew deadline > 1.2 × retry period > 0. */
  constructor(options: LeaderElectorOptions) {
    const { leaseDurationSeconds = 15, renewDeadlineSeconds = 10, retryPeriodSeconds = 2 } = options;
    if (
      !(
        leaseDurationSeconds > renewDeadlineSeconds &&
        renewDeadlineSeconds > retryPeriodSeconds * jitter &&
        retryPeriodSeconds > 0
      )
    ) {
      throw new LeaderElectionError({
        what: `invalid leader election: lease duration ${leaseDurationSeconds} s, renew deadline ${renewDeadlineSeconds} s, retry period ${retryPeriodSeconds} s`,
        why: 'the lease duration must be greater than the renew deadline, which must be greater than 1.2 times the retry period',
      });
    }
    this.name = options.id;
    this.identity = options.identity ?? `${hostname()}_${options.random.uid()}`;
    this.#options = options;
    this.#leaseMs = leaseDurationSeconds * 1000;
    this.#lock = new LeaseLock({
      client: options.client,
      clock: options.clock,
      name: this.name,
      namespace: options.namespace,
      identity: this.identity,
      durationMs: this.#leaseMs,
    });
    this.#renewMs = renewDeadlineSeconds * 1000;
    this.#retryMs = retryPeriodSeconds * 1000;
  }

  /** Number of terms that this candidate has started; work of a term records this number. */
  get terms(): number {
    return this.#terms;
  }

  /** True while no other candidate can lead. */
  get isLeading(): boolean {
    return this.#term?.isValid ?? false;
  }

  /**
   * Campaigns until `signal` is aborted; calls `lead` for each term, with a signal that is aborted when the term ends or `signal`
   * is aborted. Like controller-runtime, keeps the lease until `lead` has returned.
   */
  async run(signal: AbortSignal, lead: (term: AbortSignal) => Promise<void>): Promise<void> {
    for (;;) {
      const term = await this.#acquire(signal);
      if (!term) return;
      if (signal.aborted) return this.#release(term);
      this.#notify('became leader');
      this.#options.log.info('successfully acquired lease', { event: logEvents.leaseAcquired, ...this.#fields() });
      await this.#serve(term, { signal, lead });
      if (!signal.aborted)
        this.#options.log.warn('lost the lease; trying to acquire it again', {
          event: logEvents.leaseLost,
          ...this.#fields(),
        });
    }
  }

  async #serve(
    term: LeaseTerm,
    options: { readonly signal: AbortSignal; readonly lead: (term: AbortSignal) => Promise<void> },
  ): Promise<void> {
    const { signal, lead } = options;
    const termSignal = new AbortController();
    const onStop = (): void => termSignal.abort(signal.reason);
    signal.addEventListener('abort', onStop, { once: true });
    const work = lead(termSignal.signal);
    // Renew until the work has ended, not just until its signal was aborted; otherwise, another leader would run
    // alongside the remaining work.
    const over = new AbortController();
    const onEnd = (): void => over.abort();
    work.then(onEnd, onEnd);
    try {
      await this.#renew(term, over.signal);
      const isLost = !over.signal.aborted;
      this.#notify('stopped leading');
      termSignal.abort(new LeaderElectionError({ what: 'this replica is no longer the leader' }));
      try {
        await work;
      } finally {
        if (!isLost) await this.#release(term);
      }
    } finally {
      signal.removeEventListener('abort', onStop);
      term.end();
    }
  }

  /** Retries until this candidate leads; returns undefined if `signal` is aborted first. */
  async #acquire(signal: AbortSignal): Promise<LeaseTerm | undefined> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      const since = await this.#attempt(() => this.#renewMs, signal);
      if (since) {
        const driftMs = (this.#leaseMs - this.#renewMs) / 2;
        this.#term = new LeaseTerm({ clock, renewMs: this.#renewMs, driftMs, since });
        // If the process was suspended and the response took longer than a term lasts, no term begins.
        if (this.#term.isValid) {
          this.#terms++;
          return this.#term;
        }
      }
      const ms = this.#retryMs * (1 + random.next() * jitter);
      await sleep(clock, { ms, signal }).catch(() => {});
    }
    return undefined;
  }

  /** Renews until the term has expired or `over` is aborted. */
  async #renew(term: LeaseTerm, over: AbortSignal): Promise<void> {
    while (!over.aborted && term.isValid) {
      const ms = Math.max(Math.min(this.#retryMs, term.remainingMs), 1);
      await sleep(this.#options.clock, { ms, signal: over }).catch(() => {});
      if (over.aborted || !term.isValid) return;
      const since = await this.#attempt(() => term.remainingMs, over);
      if (since) term.renew(since);
    }
  }

  /** Attempts once. Returns the time at which the successful request was started, or undefined if the attempt failed. */
  async #attempt(leftMs: () => number, outer: AbortSignal): Promise<Instant | undefined> {
    const { clock, log } = this.#options;
    // Use half of the time that remains after the pause: if the response to a renewal is lost, the other half suffices to read
    // and write the lease.
    const ms = (this.#renewMs - this.#retryMs) / 2;
    const limited: Limited = (call) => withTimeout(call, { clock, ms: Math.min(leftMs(), ms), signal: outer });
    try {
      const since = await this.#tryAcquireOrRenew(limited, outer);
      this.#trouble.succeeded();
      return since;
    } catch (error) {
      // Another client wrote or deleted the lease first (deletion also frees it); the next read shows what happened.
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) this.#lock.forget();
      else if (!outer.aborted) {
        this.#trouble.failed(log, 'cannot acquire or renew the lease', {
          event: logEvents.leaseFailed,
          ...this.#fields(),
          error,
        });
      }
      return undefined;
    }
  }

  async #tryAcquireOrRenew(limited: Limited, outer: AbortSignal): Promise<Instant | undefined> {
    const held = this.#lock.observed;
    if (held && this.#lock.isMine(held.spec)) {
      try {
        // The leader writes without reading first: if another client has written the lease, the write fails with a
        // conflict.
        return await this.#lock.write(held, limited);
      } catch (error) {
        if (outer.aborted) throw error;
        // The renewal may have been stored but its response lost, or another client may have labeled the lease. Neither
        // ends the term.
        this.#options.log.debug('cannot renew the lease; reading the current lease', {
          event: logEvents.leaseRenewalRetried,
          ...this.#fields(),
          error,
        });
      }
    }
    const seen = await limited((signal) => this.#lock.read(signal));
    return this.#lock.isHeldByAnother(seen?.spec) ? undefined : this.#lock.write(seen, limited);
  }

  /** Releases the lease if the server still shows this candidate as its holder. */
  async #release(term: LeaseTerm): Promise<void> {
    // End the term before the release, because afterwards another candidate may lead at any moment.
    term.end();
    if (this.#options.releaseOnCancel === false) return;
    const { clock, log } = this.#options;
    try {
      await withTimeout((signal) => this.#lock.release(signal), { clock, ms: 2_000 });
    } catch (error) {
      log.info('cannot release the lease; it will expire', {
        event: logEvents.leaseReleaseFailed,
        ...this.#fields(),
        error,
      });
    }
  }

  #notify(what: 'became leader' | 'stopped leading'): void {
    const { name, namespace } = this.#lock.key;
    const { apiVersion, kind, metadata } = this.#lock.observed ?? this.#lock.next(undefined);
    // If the lease was deleted or taken in the meantime, only its name is still known.
    this.#options.onTerm?.(what, { apiVersion, kind, metadata: { ...metadata, name, namespace } });
  }

  #fields(): Record<string, unknown> {
    return { lock: `${this.#lock.key.namespace}/${this.name}`, identity: this.identity };
  }
}
