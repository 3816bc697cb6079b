import type { StorageChange, StoredObject } from '../storage/index.ts';

/** Converts stored objects with an external converter, for watchers. */
export type ConvertStored = (objects: readonly StoredObject[]) => Promise<readonly StoredObject[]>;

/** Converts changes one after the other, so they stay in order no matter how long a conversion takes. */
export class OrderedConversion {
  readonly #convert: ConvertStored;
  #last: Promise<void> = Promise.resolve();

  constructor(convert: ConvertStored) {
    this.#convert = convert;
  }

  /** Converts changes in order, then delivers them or the error. A failure does not stop later changes. */
  take(
    changes: readonly StorageChange[],
    to: { readonly deliver: (changes: readonly StorageChange[]) => void; readonly failed: (error: unknown) => void },
  ): void {
    this.#last = this.#last.then(async () => to.deliver(await this.changes(changes))).catch(to.failed);
  }

  /**
   * Runs a callback after all earlier changes are delivered. Passes an error of the callback to `failed`. A failure
   * does not stop later changes.
   */
  afterwards(run: () => void, failed: (error: unknown) => void): void {
    this.#last = this.#last.then(run).catch(failed);
  }

  /** Converts changes immediately, without waiting for the queued changes. */
  async changes(changes: readonly StorageChange[]): Promise<readonly StorageChange[]> {
    const one = async (stored: StoredObject | undefined) => (stored ? (await this.#convert([stored]))[0] : undefined);
    const converted: StorageChange[] = [];
    for (const change of changes) {
      converted.push({ ...change, current: await one(change.current), previous: await one(change.previous) });
    }
    return converted;
  }
}
