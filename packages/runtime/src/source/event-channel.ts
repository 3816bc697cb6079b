/** Number of events that an {@link EventChannel} buffers before senders wait. */
const defaultCapacity = 1_024;

/**
 * Carries events from one part of a program to a {@link channelSource}, in order. Bounded: senders wait while it is full.
 *
 * @example
 * ```ts
 * const changed = new EventChannel<ReconcileRequest>();
 * bucket.on('change', (name) => void changed.send({ namespace: 'shop', name }));
 * const source = channelSource({ name: 'bucket-changes', events: changed, handler: enqueueRequest });
 * ```
 */
export class EventChannel<E> implements AsyncIterable<E> {
  readonly #capacity: number;
  readonly #buffer: E[] = [];
  /** Sends that wait for room, oldest first. While a send waits, the buffer is full. */
  readonly #senders: { readonly event: E; readonly resolve: () => void }[] = [];
  /** Reads that wait for an event, oldest first, each with its iterator. */
  readonly #readers: {
    readonly iterator: object;
    readonly resolve: (result: IteratorResult<E, undefined>) => void;
  }[] = [];
  #closed = false;

  /**
   * @param capacity - number of buffered events before senders wait; with 0, each sender waits for a reader.
   * @defaultValue 1024
   */
  constructor(capacity: number = defaultCapacity) {
    this.#capacity = capacity;
  }

  /** Number of buffered events. */
  get size(): number {
    return this.#buffer.length;
  }

  /** Sends an event; resolves once there is room for it. After {@link EventChannel.close}, the event is dropped. */
  async send(event: E): Promise<void> {
    if (this.#closed) return;
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ done: false, value: event });
    else if (this.#buffer.length < this.#capacity) this.#buffer.push(event);
    else await new Promise<void>((resolve) => this.#senders.push({ event, resolve }));
  }

  /** Ends the channel once it is empty. */
  close(): void {
    this.#closed = true;
    for (const { resolve } of this.#readers.splice(0)) resolve({ done: true, value: undefined });
    for (const { resolve } of this.#senders.splice(0)) resolve();
  }

  /** Several readers share the events: each event goes to one of them. A reader that stops does not lose an event. */
  [Symbol.asyncIterator](): AsyncIterator<E, undefined> {
    const iterator: AsyncIterator<E, undefined> = {
      next: async () => {
        // Moves the event of the oldest waiting sender into the buffer, so that no later event overtakes it.
        const sender = this.#senders.shift();
        if (sender) {
          this.#buffer.push(sender.event);
          sender.resolve();
        }
        if (this.#buffer.length > 0) return { done: false, value: this.#buffer.shift() as E };
        if (this.#closed) return { done: true, value: undefined };
        return new Promise<IteratorResult<E, undefined>>((resolve) => this.#readers.push({ iterator, resolve }));
      },
      return: async () => {
        for (const reader of this.#readers.filter((each) => each.iterator === iterator)) {
          this.#readers.splice(this.#readers.indexOf(reader), 1);
          reader.resolve({ done: true, value: undefined });
        }
        return { done: true, value: undefined };
      },
    };
    return iterator;
  }
}
