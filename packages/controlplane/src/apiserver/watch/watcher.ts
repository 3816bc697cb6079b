import { StatusError } from '@kubewright/apimachinery';
import { nextTurn } from '../next-turn.ts';
import type { WatchClass } from './watch-class.ts';
import { expired } from './watch-failures.ts';
import { errorFrame, frame } from './watch-frame.ts';

/** How much is handed over at a time, in bytes: enough to fill a socket's buffers, little enough for many readers. */
export const CHUNK_BYTES: number = 128 * 1024;

/** What a stream sends before live events. */
export interface Backlog {
  /** The next piece, or `undefined` when there is no more. */
  next(): Promise<Uint8Array | undefined>;
}

/** What a watcher needs of its hub. */
export interface WatcherHost {
  /** The revision up to which every change has been handed to the classes. */
  readonly progress: number;
  /** Called once when the watcher has ended. */
  leave(watcher: Watcher): void;
}

/** One stream: a position in its class's ring, and what comes before and besides. */
export class Watcher implements AsyncIterableIterator<Uint8Array> {
  readonly #class: WatchClass;
  readonly #host: WatcherHost;
  /** Position of the next event to send. */
  cursor: number;
  /** Events up to this revision are not for this watcher. */
  #afterRevision = 0;
  #backlog: Backlog | undefined;
  #sentAny = false;
  #bookmarkDue = false;
  /** Its last words were said. */
  #ending = false;
  #failure: unknown;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(watchClass: WatchClass, host: WatcherHost) {
    this.#class = watchClass;
    this.#host = host;
    this.cursor = watchClass.ring.end;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Sets what is sent first, and the revision up to which it reaches. */
  begin(options: { readonly backlog: Backlog | undefined; readonly afterRevision: number }): void {
    this.#backlog = options.backlog;
    this.#afterRevision = options.afterRevision;
  }

  /** Makes it end with an ERROR event; what is no API failure is thrown to whoever reads the stream. */
  fail(error: unknown): void {
    this.#failure = error;
    this.wake();
  }

  /** Makes it send a bookmark as soon as everything before it was sent. */
  requestBookmark(): void {
    this.#bookmarkDue = true;
    this.wake();
  }

  /** Ends the stream, properly. */
  end(): void {
    this.#finish();
    this.wake();
  }

  /** Lets it look again whether there is something to send. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array>> {
    // What else is written in this turn leaves together: a reader in this process takes less long than one write.
    if (this.#sentAny) await nextTurn();
    for (;;) {
      if (this.#ended) return { done: true, value: undefined };
      const chunk = this.#ending ? undefined : ((await this.#backlogChunk()) ?? this.#liveChunk());
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
    if (this.#failure instanceof StatusError) return this.#lastWords(this.#failure);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.cursor < ring.start) {
      if (ring.droppedRevision > this.#afterRevision) {
        return this.#lastWords(expired(this.#afterRevision, ring.droppedRevision));
      }
      this.cursor = ring.start;
    }
    // What the backlog covered, or what lies before a start in the future.
    while ((ring.at(this.cursor)?.revision ?? Number.POSITIVE_INFINITY) <= this.#afterRevision) this.cursor++;
    const entry = ring.at(this.cursor);
    if (!entry) return this.#bookmark();
    if (!this.#sentAny && entry.firstFrame) {
      this.#advance(this.cursor + 1);
      return entry.firstFrame();
    }
    const { bytes, next } = ring.slice(this.cursor, CHUNK_BYTES);
    this.#advance(next);
    return bytes;
  }

  #advance(next: number): void {
    this.cursor = next;
    this.#afterRevision = this.#class.ring.at(next - 1)?.revision ?? this.#afterRevision;
    // A revision may hold several events; the ones still to come must not be taken for old.
    if (this.#class.ring.at(next)?.revision === this.#afterRevision) this.#afterRevision--;
  }

  #bookmark(): Uint8Array | undefined {
    const { progress } = this.#host;
    if (!this.#bookmarkDue || progress < this.#afterRevision) return undefined;
    this.#bookmarkDue = false;
    return frame('BOOKMARK', this.#class.representation.bookmark(`${progress}`, undefined));
  }

  #lastWords(error: StatusError): Uint8Array {
    this.#ending = true;
    return errorFrame(error.status);
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
