import type { EventEmitter } from 'node:events';

/** Records a stop signal that arrives before anything can be stopped. */
export declare class EarlyStop implements Disposable {
  constructor(process: EventEmitter);

  /** Returns 128 plus the signal number after a signal, otherwise 0. Also detects signals that arrived while the event loop was blocked. */
  asked(): Promise<number>;

  /** Stops listening for signals. */
  [Symbol.dispose](): void;
}
