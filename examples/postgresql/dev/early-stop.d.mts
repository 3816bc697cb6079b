import type { EventEmitter } from 'node:events';

/** Remembers a wish to stop that comes while there is nothing yet that could be stopped. */
export declare class EarlyStop implements Disposable {
  constructor(process: EventEmitter);

  /** 128 and the signal's number once asked to stop; 0 before. Looks after signals that came while the loop was held. */
  asked(): Promise<number>;

  /** Stops listening for signals. */
  [Symbol.dispose](): void;
}
