import { StatusError } from '@kubewright/apimachinery';
import { nextTurn } from '../next-turn.ts';
import type { WatchClass } from './watch-class.ts';
import { expired } from './watch-failures.ts';
import { errorFrame, frame } from './watch-frame.ts';

/** Maximum bytes delivered at a time: enough to fill a socket's buffers, few enough to serve many readers in turn. */
export const chunkBytes: number = 128 * 1024;

/** The events that a stream sends before live events. */
export interface Backlog {
  /** Returns the next chunk, or `undefined` at the end. */
  next(): Promise<Uint8Array | undefined>;
}

/** A watcher's interface to its hub. */
export interface WatcherHost {
  /** Every change up to this revision has been delivered to the classes. */
  readonly progress: number;
  /** Called once, when the watcher has ended. */
  leave(watcher: Watcher): void;
}

/** A single stream: a position in its class's ring, plus its backlog and bookmarks. */
export class Watcher implements AsyncIterableIterator<Uint8Array> {
  readonly #class: WatchClass;
  readonly #host: WatcherHost;
  /** Position of the next event to send. */
  cursor: number;
  /** Events up to this revision are skipped. */
  #afterRevision = 0;
  #backlog: Backlog | undefined;
  #sentAny = false;
  #bookmarkDue = false;
  /** True once the last bookmark or error has been sent. */
  #ending = false;
  #failure: unknown;
  #ended = false;
  #wake: (() => void) | undefined;

  /** The user whose limit of unread events applies, if any. */
  readonly owner: string | undefined;

  constructor(watchClass: WatchClass, host: WatcherHost, owner?: string) {
    this.#class = watchClass;
    this.#host = host;
    this.owner = owner;
    this.cursor = watchClass.ring.end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Sets the backlog, and the revision up to which it covers changes. */
  begin(options: { readonly backlog: Backlog | undefined; readonly afterRevision: number }): void {
    this.#backlog = options.backlog;
    this.#afterRevision = options.afterRevision;
  }

  /** Ends the stream with an ERROR event. An error other than an API error is thrown to the reader of the stream. */
  fail(error: unknown): void {
    this.#failure = error;
    this.wake();
  }

  /** Ends the stream like {@link fail}, but drops its unread events. */
  cut(error: unknown): void {
    this.#backlog = undefined;
    this.cursor = Number.POSITIVE_INFINITY;
    this.fail(error);
  }

  /** Sends a bookmark as soon as all earlier events are sent. */
  requestBookmark(): void {
    this.#bookmarkDue = true;
    this.wake();
  }

  /** Ends the stream cleanly. */
  end(): void {
    this.#finish();
    this.wake();
  }

  /** Wakes the stream to check again for something to send. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    // Send all events of this turn in one chunk. A reader in this process is so fast that it would otherwise read one event at a
    // time.
    if (this.#sentAny) await nextTurn();
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      let chunk: Uint8Array | undefined;
      try {
        if (!this.#ending) chunk = (await this.#backlogChunk()) ?? this.#liveChunk();
      } catch (error) {
        // Leave the hub, which must not keep serving a failed stream.
        this.#finish();
        throw error;
      }
      if (chunk) {
        this.#sentAny = true;
        return { done: false, value: chunk };
      }
      if (this.#ending) this.#finish();
      else if (!this.#ended) await this.#sleep();
    }
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.end();
    return { done: true, value: undefined };
  }

  async #backlogChunk(): Promise<Uint8Array | undefined> {
    if (!this.#backlog) return undefined;
    const chunk = await this.#backlog.next();
    if (!chunk) this.#backlog = undefined;
    return chunk;
  }

  #liveChunk(): Uint8Array | undefined {
    if (this.#ended) return undefined;
    const { ring } = this.#class;
    if (this.#failure instanceof StatusError) return this.#endWith(this.#failure);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.cursor < ring.start) {
      if (ring.droppedRevision > this.#afterRevision) {
        return this.#endWith(expired(this.#afterRevision, ring.droppedRevision));
      }
      this.cursor = ring.start;
    }
    // Skip events that the backlog covers, or that precede the future revision the watch starts at.
    while ((ring.at(this.cursor)?.revision ?? Number.POSITIVE_INFINITY) <= this.#afterRevision) this.cursor++;
    const entry = ring.at(this.cursor);
    if (!entry) return this.#bookmark();
    if (!this.#sentAny && entry.firstFrame) {
      this.#advance(this.cursor + 1);
      return entry.firstFrame();
    }
    const { bytes, next } = ring.slice(this.cursor, chunkBytes);
    this.#advance(next);
    return bytes;
  }

  #advance(next: number): void {
    this.cursor = next;
    this.#afterRevision = this.#class.ring.at(next - 1)?.revision ?? this.#afterRevision;
    // A revision may have several events: do not skip its later events.
    if (this.#class.ring.at(next)?.revision === this.#afterRevision) this.#afterRevision--;
  }

  #bookmark(): Uint8Array | undefined {
    const { progress } = this.#host;
    if (!this.#bookmarkDue || progress < this.#afterRevision) return undefined;
    this.#bookmarkDue = false;
    const { representation } = this.#class;
    const first = (representation.firstDiffers ?? false) && !this.#sentAny;
    return frame(representation, 'BOOKMARK', representation.bookmark(`${progress}`, { first }));
  }

  #endWith(error: StatusError): Uint8Array {
    this.#ending = true;
    return errorFrame(this.#class.representation, error.status);
  }

  #finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#backlog = undefined;
    this.#host.leave(this);
  }

  #sleep(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
