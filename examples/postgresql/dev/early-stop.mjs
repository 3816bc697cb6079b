// Plain JavaScript: `npm start` listens with it before anything was built.
import { setImmediate } from 'node:timers/promises';

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Remembers a wish to stop that comes while there is nothing yet that could be stopped. */
export class EarlyStop {
  #exitCode = 0;
  #process;
  #listeners;

  constructor(process) {
    this.#process = process;
    this.#listeners = Object.entries(numbers).map(([name, number]) => [name, () => (this.#exitCode ||= 128 + number)]);
    for (const [name, listener] of this.#listeners) process.on(name, listener);
  }

  /** 128 and the signal's number once asked to stop; 0 before. Looks after signals that came while the loop was held. */
  async asked() {
    // After the first the loop may not have polled for events yet, after the second it has.
    await setImmediate();
    await setImmediate();
    return this.#exitCode;
  }

  /** Removes the signal handlers. */
  [Symbol.dispose]() {
    for (const [name, listener] of this.#listeners) this.#process.off(name, listener);
  }
}
