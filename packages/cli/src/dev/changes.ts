import { type FSWatcher, watch } from 'node:fs';
import type { Clock, Timer } from '@kubewright/apimachinery';

/** Editors write a file in several steps: they are taken for one, in milliseconds. */
const debounceMs = 30;

/** Notices that files below a folder have changed. */
export class Changes implements Disposable {
  readonly #watcher: FSWatcher;
  #timer: Timer | undefined;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(folder: string, clock: Clock) {
    this.#watcher = watch(folder, { recursive: true }, () => {
      this.#timer?.[Symbol.dispose]();
      this.#timer = clock.setTimer(debounceMs, () => {
        this.#changed = true;
        this.#wake?.();
      });
    });
    // A folder that is deleted is not watched any more.
    this.#watcher.on('error', () => undefined);
  }

  /** Resolves when something has changed since the last time, or the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    if (!this.#changed && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    this.#changed = false;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#watcher.close();
  }
}
