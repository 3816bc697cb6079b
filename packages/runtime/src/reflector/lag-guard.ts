import { type Clock, compareResourceVersions, sleep } from '@kubewright/apimachinery';
import { ListSplitter } from '../cache/list-splitter.ts';
import type { Logger } from '../log/logger.ts';
import { abortable } from './abortable.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { Renewal } from './reflector.ts';
import { SilenceGuard } from './silence-guard.ts';

/** Time between two looks, in milliseconds. */
const lookMs = 10_000;
/** A write of this process that the watch does not show for so long makes it suspicious, in milliseconds. */
const ownWriteMs = 30_000;
/** The same for the version that the server named: a quiet watch learns of it by the next bookmark but one. */
const probedMs = 150_000;
/** The server is asked for its version when none was shown for so long, in milliseconds: bookmarks come every minute. */
const quietMs = 90_000;
/** And at least so often, in milliseconds. */
const probeMs = 300_000;
/** A question that is not answered in this time is given up, in milliseconds. */
const answerMs = 30_000;

/** Options of a {@link LagGuard}. */
export interface LagGuardOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly listWatcher: ListWatcher;
  /** The version that was reached; undefined while nothing can be said. */
  readonly reached: () => string | undefined;
  /** True while the present state is fetched, or is to be fetched again after that failed: that is anew already. */
  readonly isListing: () => boolean;
  readonly writes: {
    readonly awaited: string | undefined;
    /** Lets go of what was written before, which the server does not know any more. */
    lost(beforeMs: number): void;
  };
  readonly renew: (how: Renewal) => void;
  /** Called when an answer of the server shows that the cache is fresh, as far as can be known. */
  readonly confirmed: () => void;
}

interface Awaited {
  readonly version: string;
  readonly sinceMs: number;
  readonly patienceMs: number;
  readonly own: boolean;
  tries: number;
  /** Whether the newest state was to be listed for it. */
  isListed: boolean;
  /** When it was begun anew last. */
  triedMs: number;
  /** Since when the server could have shown it; undefined while no watch was open, and nothing listed, since the last try. */
  chanceMs: number | undefined;
  /** Whether a listing of the newest state, begun after the write, did not show it. */
  isMissing: boolean;
}

/**
 * Notices a watch that is open and yet behind: a proxy that holds events back, a server whose own cache hangs or that was
 * restored from a backup. Writes of this process tell at once what must come; else the server is asked now and then for
 * its version, with a list of one object. What is behind is watched anew, then listed anew. Only what a listing of the newest
 * state does not show is let go of: while the server cannot be asked, nothing follows from its silence.
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

  /** How long a newer state has been awaited, in milliseconds; 0 when what was reached is as new as is known. */
  get lagMs(): number {
    return this.#awaited ? this.#options.clock.monotonic() - this.#awaited.sinceMs : 0;
  }

  /** How long that has been too long, in milliseconds; 0 while it is within what is ordinary. */
  get behindMs(): number {
    return this.#awaited && this.lagMs >= this.#awaited.patienceMs ? this.lagMs : 0;
  }

  /** Tells that a newer version was reached. */
  progressed(): void {
    this.#progressMs = this.#options.clock.monotonic();
    if (this.#awaited && this.#isReached(this.#awaited.version)) this.#awaited = undefined;
  }

  /** Tells that a watch was opened, or is over. */
  watching(isOpen: boolean): void {
    this.#isWatching = isOpen;
    if (isOpen && this.#awaited) this.#awaited.chanceMs ??= this.#options.clock.monotonic();
  }

  /** Tells that everything was listed; `isNewest` that the server was asked for its newest state. */
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

  /** Tells that the server sends bookmarks: only then must a quiet watch come to the server's version. */
  bookmarked(): void {
    this.#hasBookmarks = true;
  }

  /** Looks again and again until `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      try {
        await sleep(clock, { ms: lookMs, signal });
        if (this.#options.reached() !== undefined) await this.#look(signal);
      } catch (error) {
        if (!signal.aborted) this.#options.log.debug('cannot ask for the newest version', { error });
      }
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const now = this.#options.clock.monotonic();
    const own = this.#options.writes.awaited;
    // What was let go of otherwise: the server was seen to have come back from a backup.
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
    // Without bookmarks a quiet watch never comes to the server's version: that the server answers must do.
    if (order === 0 || (order !== undefined && order > 0 && !this.#hasBookmarks)) confirmed();
    if (order === undefined || order === 0) return;
    if (order < 0 && present === reached()) {
      log.warn('the server is behind what it has shown, as after a restore; listing anew', { version, shown: present });
      renew('relist');
      return;
    }
    if (this.#hasBookmarks) this.#expect(version, { patienceMs: probedMs, own: false });
  }

  #expect(version: string, options: { readonly patienceMs: number; readonly own: boolean }): void {
    // What is awaited already is older: it must come first, and its time has begun.
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
      log.warn('the server does not know a version that it gave; going on with what it shows', facts);
      this.#awaited = undefined;
      // The listing was begun after that: what was written since may yet come.
      writes.lost(awaited.triedMs);
      return;
    }
    awaited.triedMs = now;
    awaited.chanceMs = undefined;
    awaited.tries++;
    // Where no watch is open, another would be none either.
    if (awaited.tries === 1 && this.#isWatching) {
      log.warn('the watch is behind; opening another', facts);
      renew('rewatch');
    } else {
      awaited.isListed = true;
      log.warn('the watch is still behind; listing anew', facts);
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
    using guard = new SilenceGuard({ clock, signal, silenceMs: answerMs });
    const splitter = new ListSplitter(() => {});
    const { body } = await listWatcher.list({ limit: 1, signal: guard.signal });
    for await (const chunk of abortable(body, guard.signal)) splitter.push(chunk);
    const { metadata } = splitter.finish() as { readonly metadata?: { readonly resourceVersion?: unknown } };
    return typeof metadata?.resourceVersion === 'string' ? metadata.resourceVersion : '';
  }
}
