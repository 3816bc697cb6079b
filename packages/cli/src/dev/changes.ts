import { type FSWatcher, watch } from 'node:fs';
import type { Clock, Timer } from '@kubewright/apimachinery';

/** Editors write a file in several steps: they are taken for one, in milliseconds. */
const debounceMs = 15;

/** Notices that files below a folder have changed. */
export class Changes implements Disposable {
  readonly #watcher: FSWatcher;
  #timer: Timer | undefined;

  constructor(folder: string, { clock, onChange }: { readonly clock: Clock; readonly onChange: () => void }) {
    this.#watcher = watch(folder, { recursive: true }, () => {
      this.#timer?.[Symbol.dispose]();
      this.#timer = clock.setTimer(debounceMs, onChange);
    });
    // A folder that is deleted is not watched any more.
    this.#watcher.on('error', () => undefined);
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#watcher.close();
  }
}
