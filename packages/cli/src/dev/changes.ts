import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '@kubewright/apimachinery';
import { fileStates, isSame } from './file-states.ts';
import { FolderWatches } from './folder-watches.ts';

/** Editors write a file in several steps: they are taken for one, in milliseconds. */
const debounceMs = 15;
/** Not every file system tells what happens in it (those of containers and networks): looked at by itself so often. */
const lookMs = 2_000;
/** These watch all that is below a folder with one watch, and would not let go of a folder that has one of its own. */
const watchesTrees = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Notices that files below a folder have changed, however they are saved: in place, by a rename, in folders that come and go.
 *
 * On Linux each folder has a watch of its own: Node's recursive watch follows files by their inode there, and loses those that
 * are replaced. A watch only says that it is time to look: whether a file changed is seen by its state.
 */
export class Changes implements Disposable {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onChange: () => void;
  readonly #watches: FolderWatches;
  #states: ReadonlyMap<string, string>;
  #timer: Timer | undefined;
  #nextLook: Timer | undefined;

  constructor(folder: string, { clock, onChange }: { readonly clock: Clock; readonly onChange: () => void }) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onChange = onChange;
    const above = dirname(folder);
    // Of the folder above only whether this one is there: it may be deleted and made anew.
    this.#watches = new FolderWatches((where, name) => {
      if (where !== above || name === null || name === basename(folder)) this.#lookSoon();
    });
    this.#states = this.#read();
    this.#lookNowAndThen();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#nextLook?.[Symbol.dispose]();
    this.#watches[Symbol.dispose]();
  }

  #lookSoon(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#clock.setTimer(debounceMs, () => this.#look());
  }

  #lookNowAndThen(): void {
    this.#nextLook = this.#clock.setTimer(lookMs, () => {
      this.#look();
      this.#lookNowAndThen();
    });
  }

  #look(): void {
    const states = this.#read();
    if (isSame(states, this.#states)) return;
    this.#states = states;
    this.#onChange();
  }

  /** Reads all states. Each folder is watched before it is read: what is saved in between is not lost. */
  #read(): ReadonlyMap<string, string> {
    const watches = this.#watches;
    if (watchesTrees) {
      watches.add(this.#folder, { recursive: true });
      return fileStates(this.#folder, () => undefined);
    }
    const folders = new Set([dirname(this.#folder)]);
    watches.add(dirname(this.#folder));
    const states = fileStates(this.#folder, (folder) => {
      folders.add(folder);
      watches.add(folder);
    });
    watches.keepOnly(folders);
    return states;
  }
}
