import { type Clock, sleep } from '@kubewright/apimachinery';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { ListSplitter } from '../scan/list-splitter.ts';
import { abortable } from './abortable.ts';
import { IdleTimeout } from './idle-timeout.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { Renewal } from './reflector.ts';

/** Interval between checks, in milliseconds. */
const lookMs = 10_000;
/**
 * Time in milliseconds within which the watch must show a write of this process; later, the watch is suspected to lag.
 */
const ownWriteMs = 30_000;
/**
 * Time in milliseconds within which the watch must reach the server's version; later, the watch is suspected to lag. A
 * quiet watch receives this version with the second bookmark at the latest.
 */
const probedMs = 150_000;
/**
 * Time in milliseconds without a version after which the server is queried for its version. Bookmarks arrive every
 * minute.
 */
const quietMs = 90_000;
/** Maximum interval between queries for the server's version, in milliseconds. */
const probeMs = 300_000;
/** Timeout of a request for the version, in milliseconds. */
const responseMs = 30_000;

export interface LagGuardOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly listWatcher: ListWatcher;
  /** The version that the cache has reached; undefined while it is unknown. */
  readonly reached: () => string | undefined;
  /**
   * True while the full state is being listed, or must be listed again after a failure; a renewal is then already in
   * progress.
   */
  readonly isListing: () => boolean;
  readonly writes: {
    readonly awaited: string | undefined;
    /** Drops writes that were made before the given time and are missing from a list of the newest state. */
    lost(beforeMs: number): void;
  };
  readonly renew: (how: Renewal) => void;
  /** Called when a server response shows no sign that the cache is stale. */
  readonly confirmed: () => void;
}

interface Awaited {
  readonly version: string;
  readonly sinceMs: number;
  readonly patienceMs: number;
  readonly own: boolean;
  tries: number;
  /** True if the newest state was listed because the awaited version did not arrive. */
  isListed: boolean;
  /** Start of the last renewal. */
  triedMs: number;
  /**
   * Time since which the server could have shown the awaited version; undefined if no watch was open and no list ran
   * since the last attempt.
   */
  chanceMs: number | undefined;
  /** True if a list of the newest state, started after the write, did not contain the write. */
  isMissing: boolean;
}

/**
 * Detects a watch that is open but behind: a proxy that holds events back, a server whose own cache hangs or that was
 * restored from a backup. A write of this process shows immediately which version must arrive; without writes, the
 * guard periodically requests the server's version, with a list of one object. A lagging watch is reopened first; if it
 * still lags, the kind is relisted. Only writes missing from a list of the newest state are dropped, because the
 * silence of an unreachable server proves nothing.
 */
export class LagGuard {
  readonly #options: LagGuardOptions;
  #awaited: Awaited | undefined;
  #progressMs: number;
  #probedMs: number;
  #hasBookmarks = false;
  #isWatching = false;

  constructor(options: LagGuardOptions) {
    this.#options = options;
    this.#progressMs = this.#probedMs = options.clock.monotonic();
  }

  /** Time for which a newer state has been awaited, in milliseconds; 0 if no newer state is known. */
  get lagMs(): number {
    return this.#awaited ? this.#options.clock.monotonic() - this.#awaited.sinceMs : 0;
  }

  /** Time for which the cache has been behind, in milliseconds; 0 while the lag is within the normal range. */
  get behindMs(): number {
    return this.#awaited && this.lagMs >= this.#awaited.patienceMs ? this.lagMs : 0;
  }

  /** Records that a newer version was reached. */
  progressed(): void {
    this.#progressMs = this.#options.clock.monotonic();
    if (this.#awaited && this.#isReached(this.#awaited.version)) this.#awaited = undefined;
  }

  /** Records that a watch was opened or has ended. */
  watching(isOpen: boolean): void {
    this.#isWatching = isOpen;
    if (isOpen && this.#awaited) this.#awaited.chanceMs ??= this.#options.clock.monotonic();
  }

  /** Records a complete list. `isNewest` is true if the newest state was requested. */
  listed(isNewest: boolean): void {
    this.progressed();
    const awaited = this.#awaited;
    if (!awaited) return;
    const now = this.#options.clock.monotonic();
    if (isNewest && awaited.isListed && !awaited.isMissing) {
      awaited.isMissing = true;
      awaited.chanceMs = now;
    }
    awaited.chanceMs ??= now;
  }

  /** Records that the server sends bookmarks. Only with bookmarks must a quiet watch reach the server's version. */
  bookmarked(): void {
    this.#hasBookmarks = true;
  }

  /** Checks periodically until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(clock, { ms: lookMs, signal });
        if (this.#options.reached() !== undefined) await this.#look(signal);
      } catch (error) {
        if (!signal.aborted)
          this.#options.log.debug('cannot read the newest resource version', {
            event: logEvents.watchProbeFailed,
            error,
          });
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.monotonic();
    const own = this.#options.writes.awaited;
    // The awaited write was dropped after the server was restored from a backup.
    if (own === undefined && this.#awaited?.own) this.#awaited = undefined;
    if (own !== undefined && !this.#isReached(own)) this.#expect(own, { patienceMs: ownWriteMs, own: true });
    if (this.#options.isListing()) return;
    if (this.#awaited) {
      this.#press(this.#awaited, now);
      return;
    }
    const due = now - this.#probedMs >= probeMs || now - Math.max(this.#progressMs, this.#probedMs) >= quietMs;
    if (due) await this.#probe(signal);
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const { clock, log, renew, reached, confirmed, isListing } = this.#options;
    this.#probedMs = clock.monotonic();
    const version = await this.#newestVersion(signal);
    if (isListing()) return;
    const present = reached();
    const order = present === undefined ? undefined : compareResourceVersions(version, present);
    // Without bookmarks, a quiet watch never reaches the server's version, so any response from the server must
    // suffice.
    if (order === 0 || (order !== undefined && order > 0 && !this.#hasBookmarks)) confirmed();
    if (order === undefined || order === 0) return;
    if (order < 0 && present === reached()) {
      log.warn('the server returned an older state than before, as after a restore; relisting', {
        event: logEvents.watchRegressed,
        version,
        shown: present,
      });
      renew('relist');
      return;
    }
    if (this.#hasBookmarks) this.#expect(version, { patienceMs: probedMs, own: false });
  }

  #expect(version: string, options: { readonly patienceMs: number; readonly own: boolean }): void {
    // Keep waiting for the older version: it must arrive first, and its timeout is already running.
    if (this.#awaited && (this.#awaited.own || !options.own)) return;
    const sinceMs = this.#options.clock.monotonic();
    const chanceMs = this.#isWatching ? sinceMs : undefined;
    const begun = { tries: 0, isListed: false, triedMs: sinceMs, chanceMs, isMissing: false };
    this.#awaited = { version, sinceMs, ...options, ...begun };
  }

  #press(awaited: Awaited, now: number): void {
    const { log, renew, writes, reached } = this.#options;
    if (awaited.chanceMs === undefined || now - awaited.chanceMs < awaited.patienceMs) return;
    const facts = { awaited: awaited.version, reached: reached() };
    if (awaited.isMissing) {
      log.warn('the server rejects a resource version that it returned; continuing with its current state', {
        event: logEvents.watchVersionRejected,
        ...facts,
      });
      this.#awaited = undefined;
      // The list was started at `triedMs`; the watch may still deliver writes made later.
      writes.lost(awaited.triedMs);
      return;
    }
    awaited.triedMs = now;
    awaited.chanceMs = undefined;
    awaited.tries++;
    // If no watch is open, opening another would not help.
    if (awaited.tries === 1 && this.#isWatching) {
      log.warn('the watch lags behind; reopening it', { event: logEvents.watchLagging, ...facts });
      renew('rewatch');
    } else {
      awaited.isListed = true;
      log.warn('the watch still lags behind; relisting', { event: logEvents.watchLagging, ...facts });
      renew('relist');
    }
  }

  #isReached(version: string): boolean {
    const reached = this.#options.reached();
    if (reached === undefined) return false;
    const order = compareResourceVersions(reached, version);
    return order === undefined || order >= 0;
  }

  async #newestVersion(signal: AbortSignal): Promise<string> {
    const { clock, listWatcher } = this.#options;
    using guard = new IdleTimeout({ clock, signal, idleMs: responseMs });
    const splitter = new ListSplitter(() => {});
    const { body } = await listWatcher.list({ limit: 1, signal: guard.signal });
    for await (const chunk of abortable(body, guard.signal)) splitter.push(chunk);
    const { metadata } = splitter.finish() as { readonly metadata?: { readonly resourceVersion?: unknown } };
    return typeof metadata?.resourceVersion === 'string' ? metadata.resourceVersion : '';
  }
}
