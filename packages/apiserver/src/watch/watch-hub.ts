import type { Clock, KubernetesObject, Random, Timer } from '@kubewright/apimachinery';
import { parseExactJson } from '@kubewright/apimachinery/internal';
import {
  CompactedError,
  type Storage,
  type StorageChange,
  type StorageWatch,
  type StoredObject,
  withRevision,
} from '../storage/index.ts';
import { StorageNotReadyError } from '../storage/storage-not-ready-error.ts';
import { ChangeFrames, type DecodeStored } from './change-frames.ts';
import { InitialEvents } from './initial-events.ts';
import { type ConvertStored, OrderedConversion } from './ordered-conversion.ts';
import type { UnreadLimit } from './unread-limit.ts';
import { scopesOf, type WatchClass } from './watch-class.ts';
import { WatchClasses } from './watch-classes.ts';
import { expired } from './watch-failures.ts';
import type { WatchRequest, WatchSource } from './watch-request.ts';
import { watchStart } from './watch-start.ts';
import { Watcher, type WatcherHost } from './watcher.ts';

/** Options for {@link WatchHub}. */
export interface WatchHubOptions {
  readonly storage: Storage;
  /** Prefix of the resource's keys, ending in `/`. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Decodes stored bytes; shares a cache with the registry. @defaultValue `parseExactJson` */
  readonly decode?: DecodeStored | undefined;
  /** Converts stored objects for this hub's watchers. Set if the kind has an external converter. */
  readonly convert?: ConvertStored | undefined;
  /** Bytes kept for slow watchers of the same events. @defaultValue 32 MiB */
  readonly ringBytes?: number | undefined;
  /** Limits the unread events of each user, over all hubs. @defaultValue no limit */
  readonly unread?: UnreadLimit | undefined;
}

/** Approximate interval between bookmarks, in milliseconds. */
const bookmarkMs = 60_000;
/** Time between a stream's last bookmark and its end, in milliseconds. */
const lastBookmarkMs = 2_000;

/**
 * Serves all watches of one resource with a single watch on storage, which is open while there are watchers. The work
 * for a change depends on the number of watcher classes that the change may concern, not on the number of watchers.
 */
export class WatchHub implements WatchSource {
  readonly #options: WatchHubOptions;
  readonly #decode: DecodeStored;
  readonly #classes: WatchClasses;
  readonly #watchers = new Map<Watcher, WatcherState>();
  readonly #host: WatcherHost;
  /** The watch of storage, while there are watchers. */
  #source: Promise<StorageWatch> | undefined;
  /** Changes up to this revision have been delivered to the classes. */
  #progress = 0;
  #bookmarkTimer: Timer | undefined;
  #closed = false;
  /** Number of storage watches opened so far. Only the newest watch delivers changes. */
  #opened = 0;
  readonly #conversion: OrderedConversion | undefined;
  readonly #initialEvents: InitialEvents;

  constructor(options: WatchHubOptions) {
    this.#options = options;
    this.#decode = options.decode ?? decodeJson;
    this.#classes = new WatchClasses(options.ringBytes ?? 32 * 1024 * 1024);
    this.#conversion = options.convert && new OrderedConversion(options.convert);
    const progress = (): number => this.#progress;
    this.#initialEvents = new InitialEvents({
      storage: options.storage,
      prefix: options.prefix,
      clock: options.clock,
      decode: this.#decode,
      convert: options.convert,
      conversion: this.#conversion,
      progress,
    });
    this.#host = {
      get progress() {
        return progress();
      },
      leave: (watcher) => this.#leave(watcher),
    };
  }

  /** The number of open streams. */
  get watcherCount(): number {
    return this.#watchers.size;
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<Uint8Array>> {
    const start = watchStart(request);
    const watcher = this.#join(request);
    try {
      this.#source ??= this.#open();
      const source = await this.#source;
      await this.#initialEvents.begin(watcher, { request, start, source });
    } catch (error) {
      this.#leave(watcher);
      throw error;
    }
    return watcher;
  }

  /** Ends all streams, when the resource is removed or the server stops. */
  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers.keys()) watcher.end();
  }

  /** Watches storage. Its changes reach all watchers that have joined; each watcher skips the changes before its start. */
  async #open(): Promise<StorageWatch> {
    const { storage, prefix } = this.#options;
    const opened = ++this.#opened;
    // While this watch is being opened, all watchers may leave and new watchers open another watch. Then this watch is obsolete.
    const isCurrent = (): boolean => opened === this.#opened;
    const fromRevision = await storage.revision();
    if (isCurrent()) this.#progress = fromRevision;
    const onLost = (error: unknown): void => {
      if (isCurrent()) this.#lose(error);
    };
    return storage.watch({ prefix, fromRevision, onLost }, (changes) => {
      if (isCurrent()) this.#onChanges(changes);
    });
  }

  #close(): void {
    this.#opened++;
    // If the watch could not be started, its watchers have already received the error.
    this.#source?.then((source) => source[Symbol.dispose]()).catch(() => undefined);
    this.#source = undefined;
  }

  /** Ends all streams after storage has lost changes, so that clients list again; later watchers start a new watch of storage. */
  #lose(error: unknown): void {
    this.#close();
    this.#failAll(error instanceof CompactedError ? expired(this.#progress, error.compactedRevision) : error);
  }

  #join(request: WatchRequest): Watcher {
    const watchClass = this.#classes.of(request);
    const watcher = new Watcher(watchClass, this.#host, request.owner);
    watchClass.watchers.add(watcher);
    this.#watchers.set(watcher, this.#arm(watcher, { request, watchClass }));
    if (this.#closed || request.signal.aborted) watcher.end();
    return watcher;
  }

  /** Arms the timers that end a stream and send its bookmarks. */
  #arm(watcher: Watcher, options: { readonly request: WatchRequest; readonly watchClass: WatchClass }): WatcherState {
    const { request, watchClass } = options;
    const { clock, random } = this.#options;
    const bookmarks = request.allowWatchBookmarks ?? false;
    const timeoutMs = (request.timeoutSeconds || 1800 + random.next() * 1800) * 1000;
    const timers = [clock.setTimer(timeoutMs, () => watcher.end(), { unref: true })];
    if (bookmarks && timeoutMs > lastBookmarkMs) {
      timers.push(clock.setTimer(timeoutMs - lastBookmarkMs, () => this.#bookmark([watcher]), { unref: true }));
    }
    const onAbort = (): void => watcher.end();
    request.signal.addEventListener('abort', onAbort, { once: true });
    if (bookmarks) this.#bookmarkTimer ??= clock.setTimer(bookmarkMs, () => this.#tick(), { unref: true });
    const stop = (): void => {
      for (const timer of timers) timer[Symbol.dispose]();
      request.signal.removeEventListener('abort', onAbort);
    };
    return { watchClass, bookmarks, stop };
  }

  /** Delivers changes. On an error, fails all watchers, which may have missed a change, so that they relist; then rethrows. */
  #onChanges(changes: readonly StorageChange[]): void {
    try {
      this.#take(changes);
    } catch (error) {
      this.#undelivered(changes, error);
      throw error;
    }
  }

  #undelivered(changes: readonly StorageChange[], error: unknown): void {
    for (const { revision } of changes) this.#progress = Math.max(this.#progress, revision);
    this.#failAll(error);
  }

  #failAll(error: unknown): void {
    for (const watcher of [...this.#watchers.keys()]) watcher.fail(error);
  }

  #take(changes: readonly StorageChange[]): void {
    if (this.#conversion === undefined) {
      this.#deliver(changes);
      return;
    }
    this.#conversion.take(changes, {
      deliver: (converted) => this.#deliver(converted),
      failed: (error) => this.#undelivered(changes, error),
    });
  }

  #deliver(changes: readonly StorageChange[]): void {
    const touched = new Set<WatchClass>();
    for (const change of changes) {
      let frames: ChangeFrames | undefined;
      for (const scope of scopesOf(change.key.slice(this.#options.prefix.length))) {
        for (const watchClass of this.#classes.inScope(scope)?.concernedBy(change, this.#decode) ?? []) {
          frames ??= new ChangeFrames(change, this.#decode);
          try {
            if (watchClass.take(frames)) touched.add(watchClass);
          } catch (error) {
            // An object that a representation cannot encode ends only the streams in that representation.
            for (const watcher of [...watchClass.watchers]) watcher.fail(error);
          }
        }
      }
      this.#progress = Math.max(this.#progress, change.revision);
    }
    for (const watchClass of touched) {
      for (const watcher of watchClass.watchers) watcher.wake();
      this.#limitUnread(watchClass);
    }
  }

  #limitUnread(watchClass: WatchClass): void {
    const { unread } = this.#options;
    if (!unread || watchClass.ring.bytes < Math.max(watchClass.checkAtBytes, unread.stepBytes)) return;
    unread.check(watchClass);
    watchClass.checkAtBytes = watchClass.ring.bytes + unread.stepBytes;
  }

  #tick(): void {
    this.#bookmarkTimer = undefined;
    const due: Watcher[] = [];
    for (const [watcher, { bookmarks }] of this.#watchers) if (bookmarks) due.push(watcher);
    if (due.length === 0) return;
    this.#bookmark(due);
    for (const watchClass of this.#classes.all()) watchClass.trim();
    this.#bookmarkTimer = this.#options.clock.setTimer(bookmarkMs, () => this.#tick(), { unref: true });
  }

  #bookmark(watchers: readonly Watcher[]): void {
    this.#sendBookmarks(watchers).catch((error: unknown) => {
      // The storage is catching up on missed changes: skip this bookmark. Other failures end the streams.
      if (!(error instanceof StorageNotReadyError)) this.#failAll(error);
    });
  }

  async #sendBookmarks(watchers: readonly Watcher[]): Promise<void> {
    const source = this.#source;
    // All changes up to this revision have been delivered, so the bookmark skips no event.
    const revision = await (await source)?.synced();
    if (revision === undefined || source !== this.#source) return;
    const send = (): void => {
      this.#progress = Math.max(this.#progress, revision);
      for (const watcher of watchers) watcher.requestBookmark();
    };
    if (this.#conversion === undefined) send();
    else this.#conversion.afterwards(send, (error) => this.#failAll(error));
  }

  #leave(watcher: Watcher): void {
    const state = this.#watchers.get(watcher);
    if (!state) return;
    this.#watchers.delete(watcher);
    state.stop();
    const { watchClass } = state;
    watchClass.watchers.delete(watcher);
    if (watchClass.watchers.size === 0) {
      this.#classes.delete(watchClass);
      this.#options.unread?.forget(watchClass);
    }
    if (this.#watchers.size > 0) return;
    this.#close();
    this.#bookmarkTimer?.[Symbol.dispose]();
    this.#bookmarkTimer = undefined;
  }
}

interface WatcherState {
  readonly watchClass: WatchClass;
  readonly bookmarks: boolean;
  stop(): void;
}

function decodeJson(stored: StoredObject): KubernetesObject {
  return parseExactJson(Buffer.from(withRevision(stored)).toString()) as KubernetesObject; // only objects are stored
}
