import { basename, dirname } from 'node:path';
import type { Clock, Timer } from '@kubewright/apimachinery';
import { fileStates, isSame } from './file-states.ts';
import { FolderWatches } from './folder-watches.ts';

/** Editors write a file in several steps, which count as one change within this time, in milliseconds. */
const debounceMs = 15;
/** The interval of periodic scans, in milliseconds: some file systems (in containers, on the network) report no changes. */
const lookMs = 2_000;
/** On these platforms, one watch covers a whole tree, and a folder with its own watch cannot be deleted. */
const watchesTrees = process.platform === 'win32' || process.platform === 'darwin';

/**
 * Detects changes to files in a folder, however they are saved: in place, by rename, in folders that are created and deleted.
 *
 * On Linux, each folder has its own watch: Node's recursive watch follows files by inode there and loses files that are
 * replaced. A watch only triggers a scan; changes are detected by comparing file states.
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
    // The parent is watched only for this folder, which can be deleted and recreated.
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

  /** Reads all states. Watches each folder before reading it, so that no save in between is lost. */
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
