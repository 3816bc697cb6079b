import type { StorageChange, StoredObject } from '../../storage/index.ts';

/** Turns stored objects into what watchers are shown, by asking somebody. */
export type ConvertStored = (objects: readonly StoredObject[]) => Promise<readonly StoredObject[]>;

/** Converts changes one after the other: whatever a conversion takes, nothing overtakes. */
export class OrderedConversion {
  readonly #convert: ConvertStored;
  #last: Promise<void> = Promise.resolve();

  constructor(convert: ConvertStored) {
    this.#convert = convert;
  }

  /** Converts changes in their turn, then hands them over; or the failure, after which the next ones go on. */
  take(
    changes: readonly StorageChange[],
    to: { readonly deliver: (changes: readonly StorageChange[]) => void; readonly failed: (error: unknown) => void },
  ): void {
    this.#last = this.#last.then(async () => to.deliver(await this.changes(changes))).catch(to.failed);
  }

  /** Runs something once all that was taken before is delivered; told of its failure, after which the next ones go on. */
  afterwards(run: () => void, failed: (error: unknown) => void): void {
    this.#last = this.#last.then(run).catch(failed);
  }

  /** Converts changes at once, out of turn. */
  async changes(changes: readonly StorageChange[]): Promise<readonly StorageChange[]> {
    const one = async (stored: StoredObject | undefined) => (stored ? (await this.#convert([stored]))[0] : undefined);
    const converted: StorageChange[] = [];
    for (const change of changes) {
      converted.push({ ...change, current: await one(change.current), previous: await one(change.previous) });
    }
    return converted;
  }
}
