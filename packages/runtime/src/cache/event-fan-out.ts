import type { ObjectEvent } from '../handler/events.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { Replay, type ReplayOptions } from './replay.ts';

/**
 * Called synchronously for each change, after the store has applied the change. Errors thrown by the handler are logged
 * and do not affect other handlers.
 */
export type InformerHandler<T> = (event: ObjectEvent<T>) => void;

/** A handler's subscription. Disposing the subscription stops the replay too. */
export interface Subscription extends Disposable {
  /** Resolves when the handler has seen every object that existed when it subscribed. */
  readonly replayed: Promise<void>;
}

/** Dispatches an informer's events to its handlers. */
export class EventFanOut<T> {
  readonly #handlers = new Map<InformerHandler<T>, Replay<T>>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  get size(): number {
    return this.#handlers.size;
  }

  /** Adds a handler and replays the existing objects to it; events that arrive during the replay are delivered immediately. */
  subscribe(handler: InformerHandler<T>, replay: Omit<ReplayOptions<T>, 'notify'>): Subscription {
    const replaying = new Replay({ ...replay, notify: (event) => this.notify(handler, event) });
    this.#handlers.set(handler, replaying);
    return {
      replayed: replaying.done,
      [Symbol.dispose]: () => {
        replaying[Symbol.dispose]();
        this.#handlers.delete(handler);
      },
    };
  }

  dispatch(event: ObjectEvent<T>): void {
    for (const replay of this.#handlers.values()) replay.notify(event);
  }

  notify(handler: InformerHandler<T>, event: ObjectEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#log.error('an event handler failed', {
        event: logEvents.handlerFailed,
        namespace,
        name,
        type: event.type,
        error,
      });
    }
  }
}
