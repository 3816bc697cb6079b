import { type Clock, isGone, isNotFound, type Random, StatusError } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { Absence } from './absence.ts';
import { isTooLargeResourceVersion, mayBeTransient, rejectsWatchList, wasNotAttempted } from './failures.ts';
import { listOnce } from './list-once.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import { RetryPause } from './retry-pause.ts';
import { ServerAvailability } from './server-availability.ts';
import { WatchFailures } from './watch-failures.ts';
import { type WatchEnd, watchOnce } from './watch-once.ts';

export interface ReflectorOptions {
  readonly listWatcher: ListWatcher;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * True to request the initial state as a stream (WatchList); falls back to lists if the server does not support it.
   * @defaultValue true
   */
  readonly useWatchList?: boolean | undefined;
  /** Time without a byte after which a watch is considered dead, in milliseconds. @defaultValue 150_000 */
  readonly idleMs?: number | undefined;
  /**
   * Reports whether discovery shows that the kind is not served; false if discovery is inconclusive. A 404 alone never
   * empties the sink, because any proxy may return a 404. Without this callback, the sink is never emptied.
   */
  readonly isAbsent?: ((signal: AbortSignal) => Promise<boolean>) | undefined;
  /** Tracks whether the server is reachable; shared by all users of a client. @defaultValue not shared */
  readonly availability?: ServerAvailability | undefined;
  /** Called when the state changes. */
  readonly onState?: ((state: ReflectorState) => void) | undefined;
  /** Called when a watch is opened, and when it ends. */
  readonly onWatching?: ((isOpen: boolean) => void) | undefined;
}

/**
 * The next action of a reflector.
 *
 * `list`: fetch the full state, at least as new as `resourceVersion` (`'0'`: any version that the server has cached;
 * `''`: the newest). `watch-list`: the same as a stream that continues as a watch. `watch`: follow changes after
 * `resourceVersion`.
 */
export type ReflectorState =
  | { readonly phase: 'list'; readonly resourceVersion: string }
  | { readonly phase: 'watch-list'; readonly resourceVersion: string }
  | { readonly phase: 'watch'; readonly resourceVersion: string };

const newestOfAll: ReflectorState = { phase: 'list', resourceVersion: '' };

/** The ways to restart a reflector: reopen the watch at the current version, or list the newest state. */
export type Renewal = 'rewatch' | 'relist';

/** Repeated 410 responses within this time count as the same problem, in milliseconds. */
const goneAgainMs = 60_000;

/** How long initial states are listed, not streamed, after a stream was rejected or stalled, in milliseconds. */
const listInsteadMs = 600_000;

/** The next step of the reflector; delayed if the previous step failed. */
interface Step {
  readonly state: ReflectorState;
  readonly failure?: unknown;
}

/**
 * Keeps one sink in sync with one list and watch, despite connection and server failures. Mirrors client-go's reflector (1.36):
 * resource-version rules, bookmarks, WatchList with fallback, 410, backoff, Retry-After.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #absence: Absence;
  readonly #availability: ServerAvailability;
  readonly #listWatcher: ListWatcher;
  readonly #useWatchList: boolean;
  #listUntilMs = Number.NEGATIVE_INFINITY;
  readonly #watchFailures: WatchFailures;
  /** True if a watch has received its initial state, or started without an initial state. */
  #isFollowing = false;
  /** Newest version that the sink is known to have; empty before the first list. */
  #lastSeen = '';
  #lastGoneMs = Number.NEGATIVE_INFINITY;
  readonly #pause: RetryPause;
  /** True if the newest state must be listed next; overrides any other planned step. */
  #owesListing = false;
  #step: AbortController | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#useWatchList = options.useWatchList ?? true;
    this.#watchFailures = new WatchFailures(options.clock);
    this.#absence = new Absence({ clock: options.clock, isAbsent: options.isAbsent });
    this.#availability = options.availability ?? new ServerAvailability(options);
    this.#pause = new RetryPause(options, { absence: this.#absence, availability: this.#availability });
    const { listWatcher } = options;
    this.#listWatcher = {
      list: (list) => this.#tracked(listWatcher.list(list)),
      watch: (watch) => this.#tracked(listWatcher.watch(watch)),
    };
  }

  /** Runs until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    let step: Step = { state: this.#fullListing() };
    while (!signal.aborted) {
      if (step.failure !== undefined) await this.#pause.after(step.failure, signal);
      if (signal.aborted) return;
      const state = this.#owesListing ? newestOfAll : step.state;
      this.#owesListing = false;
      this.#options.onState?.(state);
      step = await this.#next(state, signal);
    }
  }

  /**
   * Ends the open watch and restarts as requested. If no watch is open, the next watch is opened anyway; a requested list is
   * remembered until it starts.
   */
  renew(how: Renewal): void {
    if (how === 'relist') this.#owesListing = true;
    else if (!this.#watchFailures.wasOpened) return;
    this.#step?.abort(new Error(`the reflector restarts (${how})`));
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
      // A stream that has delivered its initial state is a watch like any other.
      const present = state.phase !== 'list' && this.#isFollowing ? this.#sameAgain() : state;
      if (signal.aborted) return { state: present };
      return await this.#afterFailure(present, { error, signal: outer });
    } finally {
      outer.removeEventListener('abort', onAbort);
      this.#step = undefined;
    }
  }

  async #tracked<R>(pending: Promise<R>): Promise<R> {
    try {
      const response = await pending;
      this.#availability.responded();
      return response;
    } catch (error) {
      // A rejection is a response too, but a 5xx may come from a load balancer without a server.
      if (error instanceof StatusError && error.httpStatus < 500) this.#availability.responded();
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
      // Restart a stream that ended early. If the end of the initial state never arrives, the server does not support
      // streaming.
      if (end.isEndMissing) this.#listInstead();
      return { state: this.#fullListing(), failure: new Error('the watch ended before the initial list was complete') };
    }
    if (end.hadNoResponse) return { state: this.#fullListing(), failure: new Error('the watch got no response') };
    if (!end.suspicious) return { state: this.#sameAgain() };
    return { state: this.#afterFailedWatch(), failure: new Error('the watch ended immediately without an event') };
  }

  async #follow(
    state: ReflectorState,
    options: { readonly initial: boolean; readonly signal: AbortSignal },
  ): Promise<WatchEnd> {
    const { sink, clock, random, log, idleMs = 150_000, onWatching } = this.#options;
    this.#watchFailures.began();
    this.#isFollowing = !options.initial;
    try {
      return await watchOnce({
        listWatcher: this.#listWatcher,
        sink,
        clock,
        random,
        log,
        idleMs,
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
    // Watches of a removed kind end without an error, whereas its lists keep returning 404.
    if (isNotFound(error) && state.phase !== 'watch') await this.#afterNotFound(signal);
    if (isTooLargeResourceVersion(error)) return { state: newestOfAll, failure: error };
    if (state.phase !== 'list') this.#watchFailures.failed(error);
    if (state.phase === 'watch' && wasNotAttempted(error)) return { state: this.#sameAgain(), failure: error };
    if (state.phase === 'watch' && mayBeTransient(error)) return { state: this.#afterFailedWatch(), failure: error };
    if (state.phase === 'watch-list' && rejectsWatchList(error)) {
      this.#options.log.debug('the server does not support streaming lists; listing instead', {
        event: logEvents.watchListUnsupported,
        error,
      });
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

  /**
   * Falls back to lists for a while, because a server that rejects streams may support them after an upgrade, and
   * stalls are temporary.
   */
  #listInstead(): void {
    this.#listUntilMs = this.#options.clock.monotonic() + listInsteadMs;
  }

  /**
   * Keeps the listed objects until discovery confirms that the kind was removed, because consumers of an empty cache
   * treat the objects as deleted.
   */
  async #afterNotFound(signal: AbortSignal): Promise<void> {
    const { sink } = this.#options;
    if (this.#absence.isSure) return;
    sink.doubted();
    await this.#absence.notFound({ wasListed: this.#lastSeen !== '', signal });
    if (!this.#absence.isSure || signal.aborted) return;
    this.#lastSeen = '';
    sink.notServed();
  }

  /** Handles an expired version: after a watch, lists at the last version seen; after a list, lists the newest state. */
  #afterGone(state: ReflectorState, error: unknown): Step {
    const now = this.#options.clock.monotonic();
    // Back off from a server that repeatedly returns 410.
    const again = now - this.#lastGoneMs < goneAgainMs;
    this.#lastGoneMs = now;
    const next = state.phase === 'watch' ? this.#fullListing() : newestOfAll;
    return again ? { state: next, failure: error } : { state: next };
  }

  #fullListing(): ReflectorState {
    // List instead: a streamed initial state is a watch too, so it would not arrive if watches fail.
    const streams = this.#useWatchList && this.#options.clock.monotonic() >= this.#listUntilMs;
    if (streams && !this.#watchFailures.areTooMany) return { phase: 'watch-list', resourceVersion: this.#lastSeen };
    return { phase: 'list', resourceVersion: this.#lastSeen === '' ? '0' : this.#lastSeen };
  }
}
