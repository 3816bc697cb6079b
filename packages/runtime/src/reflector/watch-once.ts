import { type Clock, type Random, type Status, StatusError } from '@kubewright/apimachinery';
import type { TransportResponse } from '@kubewright/client';
import { LineSplitter } from '@kubewright/client/internal';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { MalformedJsonError } from '../scan/json-bytes.ts';
import { readWatchLine } from '../scan/watch-line.ts';
import { abortable } from './abortable.ts';
import { IdleTimeout } from './idle-timeout.ts';
import type { ListWatcher } from './list-watcher.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import { TimeSlice } from './time-slice.ts';

/** Maximum pause of a stream before it reports that the initial state is complete, in milliseconds. */
const initialPauseMs = 15_000;
/** Bytes processed between two checks of the clock. */
const pieceBytes = 128 * 1024;

/** Options for {@link watchOnce}. */
export interface WatchOnceOptions {
  readonly listWatcher: ListWatcher;
  readonly sink: ReflectorSink;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly resourceVersion: string;
  /** True to request the current state first, as a list in the sink. */
  readonly initialEvents: boolean;
  readonly idleMs: number;
  /** Called when the server responds to the watch. */
  readonly onOpened: () => void;
  readonly onReached: (resourceVersion: string) => void;
}

/** The result of a watch that ended without an error. */
export interface WatchEnd {
  readonly initialEventsEnded: boolean;
  /**
   * True if events stopped without the bookmark that ends the initial state, because the server does not support
   * streaming.
   */
  readonly isEndMissing: boolean;
  /** True if no data arrived, not even response headers. */
  readonly hadNoResponse: boolean;
  /** True if the watch ended in under a second without an event, as with a broken proxy. */
  readonly suspicious: boolean;
}

/**
 * Follows one watch until it ends.
 *
 * @throws StatusError for an ERROR event, and any error of the transport.
 */
export async function watchOnce(options: WatchOnceOptions): Promise<WatchEnd> {
  const { clock, random, signal, initialEvents } = options;
  const startMs = clock.monotonic();
  // Before the response starts, the server may request a delay (429 with Retry-After); this delay does not count as
  // silence of a stream.
  const guard = new IdleTimeout({ clock, signal, idleMs: options.idleMs });
  const follower = new WatchFollower(options, () => guard.allow(options.idleMs));
  let opened = false;
  try {
    const { body } = await options.listWatcher.watch({
      allowWatchBookmarks: true,
      timeoutSeconds: Math.round(300 * (1 + random.next())),
      signal: guard.signal,
      ...(options.resourceVersion === '' ? {} : { resourceVersion: options.resourceVersion }),
      ...(initialEvents ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
    });
    opened = true;
    options.onOpened();
    if (initialEvents) guard.allow(Math.min(initialPauseMs, options.idleMs));
    guard.touch();
    await follow(body, { guard, follower, clock });
  } catch (error) {
    // The silence timeout is the reflector's own: the watch is reopened as if it had ended.
    if (!guard.fired || signal.aborted) throw error;
  } finally {
    guard[Symbol.dispose]();
  }
  const quick = clock.monotonic() - startMs < 1_000 && follower.events === 0;
  return {
    initialEventsEnded: !initialEvents || follower.initialEventsEnded,
    isEndMissing: opened && initialEvents && !follower.initialEventsEnded && guard.fired,
    hadNoResponse: !opened && guard.fired,
    suspicious: quick && !guard.fired,
  };
}

interface Following {
  readonly guard: IdleTimeout;
  readonly follower: WatchFollower;
  readonly clock: Clock;
}

async function follow(body: TransportResponse['body'], following: Following): Promise<void> {
  const { guard, follower, clock } = following;
  const lines = new LineSplitter({
    onLine: (bytes, start, end) => follower.line(bytes, start, end),
    tooLong: (maxLineBytes) => new MalformedJsonError(`a watch event larger than ${maxLineBytes >> 20} MiB`),
  });
  const slice = new TimeSlice(clock);
  for await (const chunk of abortable(body, guard.signal)) {
    guard.touch();
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      await slice.work(() => lines.push(chunk.subarray(at, at + pieceBytes)));
    }
    body.reclaim?.(chunk);
  }
}

/** Applies the lines of one watch to the sink. */
class WatchFollower {
  events = 0;
  initialEventsEnded = false;
  readonly #options: WatchOnceOptions;
  readonly #onInitialEventsEnded: () => void;

  constructor(options: WatchOnceOptions, onInitialEventsEnded: () => void) {
    this.#options = options;
    this.#onInitialEventsEnded = onInitialEventsEnded;
    if (options.initialEvents) options.sink.beginListing();
  }

  line(bytes: Buffer, start: number, end: number): void {
    const { sink } = this.#options;
    const { type, objectAt, objectEnd } = readWatchLine(bytes, start, end);
    this.events++;
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
        this.#reached(sink.put(bytes, objectAt, objectEnd));
        return;
      case 'DELETED':
        this.#reached(sink.remove(bytes, objectAt, objectEnd));
        return;
      case 'BOOKMARK':
        this.#bookmark(JSON.parse(bytes.toString('utf8', objectAt, objectEnd)) as Bookmark);
        return;
      case 'ERROR':
        throw new StatusError(JSON.parse(bytes.toString('utf8', objectAt, objectEnd)) as Status);
      default:
        this.#options.log.warn('skipped a watch event of an unknown type', {
          event: logEvents.watchEventSkipped,
          type,
        });
    }
  }

  /**
   * Records the version of an event. Versions in the initial state are unordered, so they mean nothing until the
   * initial state is complete.
   */
  #reached(resourceVersion: string): void {
    const { initialEvents, onReached } = this.#options;
    if (!initialEvents || this.initialEventsEnded) onReached(resourceVersion);
  }

  #bookmark(object: Bookmark): void {
    const { sink, initialEvents, onReached } = this.#options;
    const resourceVersion = object.metadata?.resourceVersion ?? '';
    if (initialEvents && !this.initialEventsEnded) {
      if (object.metadata?.annotations?.['k8s.io/initial-events-end'] !== 'true') return;
      this.initialEventsEnded = true;
      this.#onInitialEventsEnded();
      sink.endListing(resourceVersion);
    }
    sink.reached(resourceVersion);
    onReached(resourceVersion);
  }
}

interface Bookmark {
  readonly metadata?: { readonly resourceVersion?: string; readonly annotations?: Readonly<Record<string, string>> };
}
