import { type Clock, isGone, isNotFound, type Random, StatusError, sleep } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';
import { Absence } from './absence.ts';
import { Backoff } from './backoff.ts';
import {
  describeFailure,
  isTooLargeResourceVersion,
  mayPass,
  refusesWatchList,
  saysNothingOfWatches,
} from './failures.ts';
import { listOnce } from './list-once.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import { ServerReach } from './server-reach.ts';
import { WatchFailures } from './watch-failures.ts';
import { type WatchEnd, watchOnce } from './watch-once.ts';

/** Options of a {@link Reflector}. */
export interface ReflectorOptions {
  readonly listWatcher: ListWatcher;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whether to ask for the first state as a stream (WatchList); a server that cannot is listed. @defaultValue true */
  readonly useWatchList?: boolean;
  /** A watch without a byte for this long is taken for dead, in milliseconds. @defaultValue 150_000 */
  readonly silenceMs?: number;
  /**
   * Whether discovery says that the kind is not served; false where it says nothing. A 404 alone never empties the sink: any
   * proxy gives one. Without this nothing does.
   */
  readonly isAbsent?: (signal: AbortSignal) => Promise<boolean>;
  /** Shared by those who list and watch with one client. @defaultValue one of its own */
  readonly reach?: ServerReach;
  /** Called when the state changes. */
  readonly onState?: (state: ReflectorState) => void;
  /** Called when a watch is answered, and when it is over. */
  readonly onWatching?: (isOpen: boolean) => void;
}

/**
 * What a reflector is about to do.
 *
 * `list`: fetch everything, at least as new as `resourceVersion` (`'0'`: whatever the server has at hand; `''`: the newest).
 * `watch-list`: the same as a stream that goes on as a watch. `watch`: follow changes after `resourceVersion`.
 */
export type ReflectorState =
  | { readonly phase: 'list'; readonly resourceVersion: string }
  | { readonly phase: 'watch-list'; readonly resourceVersion: string }
  | { readonly phase: 'watch'; readonly resourceVersion: string };

const newestOfAll: ReflectorState = { phase: 'list', resourceVersion: '' };

/** How a reflector is told to begin anew: follow on from where it is, or fetch the newest of everything. */
export type Renewal = 'rewatch' | 'relist';

/** How long servers that say "gone" over and over are taken for one trouble, in milliseconds. */
const goneAgainMs = 60_000;
/** That a kind is not found is told this often, in milliseconds. */
const tellMissingMs = 600_000;

/** After a stream that was refused or stalled first states are listed for so long, in milliseconds. */
const listInsteadMs = 600_000;

/** A state, and whether the step before it failed so that it has to wait. */
interface Step {
  readonly state: ReflectorState;
  readonly failure?: unknown;
}

/**
 * Keeps one sink equal to one list and watch, whatever happens to connection and server. Mirrors client-go's reflector
 * (1.36): resource-version rules, bookmarks, WatchList with fall-back, 410, back-off, Retry-After.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #backoff: Backoff;
  readonly #absence: Absence;
  readonly #reach: ServerReach;
  readonly #listWatcher: ListWatcher;
  readonly #useWatchList: boolean;
  #listUntilMs = Number.NEGATIVE_INFINITY;
  readonly #watchFailures: WatchFailures;
  /** Whether a watch is over its first state, or began without. */
  #isFollowing = false;
  /** Newest version that the sink is known to have; empty before the first listing. */
  #lastSeen = '';
  #lastGoneMs = Number.NEGATIVE_INFINITY;
  #toldMissing = { atMs: Number.NEGATIVE_INFINITY, isSure: false };
  /** Whether the newest of everything is to be listed next, whatever else was about to be done. */
  #owesListing = false;
  #step: AbortController | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#useWatchList = options.useWatchList ?? true;
    this.#backoff = new Backoff({ clock: options.clock, random: options.random });
    this.#watchFailures = new WatchFailures(options.clock);
    this.#absence = new Absence({ clock: options.clock, isAbsent: options.isAbsent });
    this.#reach = options.reach ?? new ServerReach(options);
    const { listWatcher } = options;
    this.#listWatcher = {
      list: (list) => this.#answered(listWatcher.list(list)),
      watch: (watch) => this.#answered(listWatcher.watch(watch)),
    };
  }

  /** Runs until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Step = { state: this.#fullListing() };
    while (!signal.aborted) {
      if (step.failure !== undefined) await this.#wait(step.failure, signal);
      if (signal.aborted) return;
      const state = this.#owesListing ? newestOfAll : step.state;
      this.#owesListing = false;
      this.#options.onState?.(state);
      step = await this.#next(state, signal);
    }
  }

  /**
   * Ends the watch that is open and begins anew. Without one, a watch is opened next anyway, or is about to be; a listing is
   * remembered until it is begun.
   */
  renew(how: Renewal): void {
    if (how === 'relist') this.#owesListing = true;
    else if (!this.#watchFailures.wasOpened) return;
    this.#step?.abort(new Error(`the reflector begins anew (${how})`));
  }

  async #next(state: ReflectorState, outer: AbortSignal): Promise<Step> {
    const step = new AbortController();
    const { signal } = step;
    const onAbort = (): void => step.abort(outer.reason);
    outer.addEventListener('abort', onAbort, { once: true });
    if (state.phase !== 'list') this.#step = step;
    try {
      if (outer.aborted) onAbort();
      switch (state.phase) {
        case 'list':
          return { state: await this.#list(state.resourceVersion, signal) };
        case 'watch-list':
          return await this.#watch(state, signal);
        case 'watch':
          return await this.#watch(state, signal);
      }
    } catch (error) {
      if (outer.aborted) return { state };
      // A stream that has brought its first state is a watch like any other.
      const present = state.phase !== 'list' && this.#isFollowing ? this.#sameAgain() : state;
      if (signal.aborted) return { state: present };
      return await this.#afterFailure(present, { error, signal: outer });
    } finally {
      outer.removeEventListener('abort', onAbort);
      this.#step = undefined;
    }
  }

  async #answered<R>(answer: Promise<R>): Promise<R> {
    try {
      const response = await answer;
      this.#reach.answered();
      return response;
    } catch (error) {
      // A refusal is an answer; 5xx may be that of a balancer without a server.
      if (error instanceof StatusError && error.httpStatus < 500) this.#reach.answered();
      throw error;
    }
  }

  async #list(resourceVersion: string, signal: AbortSignal): Promise<ReflectorState> {
    const { sink, clock } = this.#options;
    this.#lastSeen = await listOnce({ listWatcher: this.#listWatcher, sink, clock, resourceVersion, signal });
    this.#absence.served();
    return { phase: 'watch', resourceVersion: this.#lastSeen };
  }

  async #watch(state: ReflectorState, signal: AbortSignal): Promise<Step> {
    const initial = state.phase === 'watch-list';
    const end = await this.#follow(state, { initial, signal });
    this.#watchFailures.ended(end);
    if (initial && !end.initialEventsEnded) {
      // A stream that ended before it was complete is begun anew; one that never says it is complete is not understood.
      if (end.noEndInSight) this.#listInstead();
      return { state: this.#fullListing(), failure: new Error('the watch ended before the first state was complete') };
    }
    if (end.isUnanswered) return { state: this.#fullListing(), failure: new Error('the watch was not answered') };
    if (!end.suspicious) return { state: this.#sameAgain() };
    return { state: this.#afterFailedWatch(), failure: new Error('the watch ended at once without an event') };
  }

  async #follow(
    state: ReflectorState,
    options: { readonly initial: boolean; readonly signal: AbortSignal },
  ): Promise<WatchEnd> {
    const { sink, clock, random, log, silenceMs = 150_000, onWatching } = this.#options;
    this.#watchFailures.began();
    this.#isFollowing = !options.initial;
    try {
      return await watchOnce({
        listWatcher: this.#listWatcher,
        sink,
        clock,
        random,
        log,
        silenceMs,
        signal: options.signal,
        resourceVersion: state.resourceVersion,
        initialEvents: options.initial,
        onOpened: () => {
          this.#watchFailures.opened();
          onWatching?.(true);
        },
        onReached: (resourceVersion) => {
          if (resourceVersion !== this.#lastSeen) this.#watchFailures.progressed();
          this.#lastSeen = resourceVersion;
          this.#isFollowing = true;
          this.#absence.served();
        },
      });
    } finally {
      onWatching?.(false);
    }
  }

  async #afterFailure(
    state: ReflectorState,
    failure: { readonly error: unknown; readonly signal: AbortSignal },
  ): Promise<Step> {
    const { error, signal } = failure;
    if (isGone(error)) return this.#afterGone(state, error);
    // Watches of a kind that vanishes end; it is the listing that is answered with 404 for good.
    if (isNotFound(error) && state.phase !== 'watch') await this.#afterNotFound(signal);
    if (isTooLargeResourceVersion(error)) return { state: newestOfAll, failure: error };
    if (state.phase !== 'list') this.#watchFailures.failed(error);
    if (state.phase === 'watch' && saysNothingOfWatches(error)) return { state: this.#sameAgain(), failure: error };
    if (state.phase === 'watch' && mayPass(error)) return { state: this.#afterFailedWatch(), failure: error };
    if (state.phase === 'watch-list' && refusesWatchList(error)) {
      this.#options.log.debug('the server does not stream lists; listing instead', { error });
      this.#listInstead();
      return { state: this.#fullListing() };
    }
    return { state: this.#fullListing(), failure: error };
  }

  #afterFailedWatch(): ReflectorState {
    return this.#watchFailures.areTooMany ? this.#fullListing() : this.#sameAgain();
  }

  #sameAgain(): ReflectorState {
    return { phase: 'watch', resourceVersion: this.#lastSeen };
  }

  /** What is refused now may be understood after an upgrade, and a stall has an end. */
  #listInstead(): void {
    this.#listUntilMs = this.#options.clock.monotonic() + listInsteadMs;
  }

  /** What was listed is kept until discovery says that the kind is gone: who reads nothing takes its objects for deleted. */
  async #afterNotFound(signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    if (this.#absence.isSure) return;
    sink.doubted();
    await this.#absence.notFound({ wasListed: this.#lastSeen !== '', signal });
    if (!this.#absence.isSure || signal.aborted) return;
    this.#lastSeen = '';
    sink.notServed();
  }

  /** The version is no longer kept. A watch is followed by a listing at that version, a listing by one of the newest state. */
  #afterGone(state: ReflectorState, error: unknown): Step {
    const now = this.#options.clock.monotonic();
    // A server that says so over and over is not asked without a pause.
    const again = now - this.#lastGoneMs < goneAgainMs;
    this.#lastGoneMs = now;
    const next = state.phase === 'watch' ? this.#fullListing() : newestOfAll;
    return again ? { state: next, failure: error } : { state: next };
  }

  /** A kind that is installed shall be followed within two seconds; what refuses costs the server next to nothing. */
  #missingMs(): number {
    return 1_000 * (1 + this.#options.random.next());
  }

  #isToBeTold(failure: unknown): boolean {
    if (!isNotFound(failure)) return true;
    const atMs = this.#options.clock.monotonic();
    const { isSure } = this.#absence;
    if (isSure === this.#toldMissing.isSure && atMs - this.#toldMissing.atMs < tellMissingMs) return false;
    this.#toldMissing = { atMs, isSure };
    return true;
  }

  #fullListing(): ReflectorState {
    // A first state as a stream is a watch, too: where those fail it would not come.
    const streams = this.#useWatchList && this.#options.clock.monotonic() >= this.#listUntilMs;
    if (streams && !this.#watchFailures.areTooMany) return { phase: 'watch-list', resourceVersion: this.#lastSeen };
    return { phase: 'list', resourceVersion: this.#lastSeen === '' ? '0' : this.#lastSeen };
  }

  async #wait(failure: unknown, signal: AbortSignal): Promise<void> {
    const asked = failure instanceof StatusError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
    const ms = isNotFound(failure) ? this.#missingMs() : Math.max(this.#backoff.next(), asked);
    if (this.#isToBeTold(failure)) {
      const { message, level } = describeFailure(failure, { isAbsent: this.#absence.isSure });
      // A server that cannot be reached is told once, not by each kind.
      const isTold = this.#reach.failed(this, failure);
      this.#options.log[isTold ? 'debug' : level](message, { error: failure, retryInMs: Math.round(ms) });
    }
    try {
      await sleep(this.#options.clock, { ms, signal });
    } catch {
      // Aborted: run() looks at the signal next.
    }
  }
}
