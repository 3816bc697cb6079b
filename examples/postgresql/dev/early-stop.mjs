// Plain JavaScript, because `npm start` listens for signals with it before anything is built.
import { setImmediate } from 'node:timers/promises';

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Records a stop signal that arrives before anything can be stopped. */
export class EarlyStop {
  #exitCode = 0;
  #process;
  #listeners;

  constructor(process) {
    this.#process = process;
    this.#listeners = Object.entries(numbers).map(([name, number]) => [name, () => (this.#exitCode ||= 128 + number)]);
    for (const [name, listener] of this.#listeners) process.on(name, listener);
  }

  /** Returns 128 plus the signal number after a signal, otherwise 0. Also detects signals that arrived while the event loop was blocked. */
  async asked() {
    // The event loop may not poll for signals before the end of the first turn, but does so before the end of the
    // second.
    await setImmediate();
    await setImmediate();
    return this.#exitCode;
  }

  /** Removes the signal handlers. */
  [Symbol.dispose]() {
    for (const [name, listener] of this.#listeners) this.#process.off(name, listener);
  }
}
