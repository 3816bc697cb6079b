import type { ObjectEvent } from '../handler/events.ts';
import type { ObjectView } from '../handler/object-view.ts';
import type { Logger } from '../log/logger.ts';

/** Told of each change, synchronously, after the store has taken it. What it throws is logged and reaches no other handler. */
export type InformerHandler<T> = (event: ObjectEvent<T>) => void;

/** Hands an informer's events to its handlers. */
export class EventFanOut<T> {
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  get size(): number {
    return this.#handlers.size;
  }

  /** Replays what is there and adds the handler; synchronous, so that no change can slip in between. */
  subscribe(handler: InformerHandler<T>, present: readonly ObjectView<T>[]): Disposable {
    for (const object of present) this.tell(handler, { type: 'create', object, isInInitialList: true });
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  dispatch(event: ObjectEvent<T>): void {
    for (const handler of this.#handlers) this.tell(handler, event);
  }

  tell(handler: InformerHandler<T>, event: ObjectEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#log.error('an event handler failed', { namespace, name, event: event.type, error });
    }
  }
}
