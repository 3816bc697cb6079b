import { formatObjectKey } from '@kubewright/apimachinery';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { KeyShare, Partition } from './partition.ts';

/** What {@link GainedKeys} are found by. */
export interface GainedKeysOptions {
  readonly partition: Partition;
  /** Shows all keys there are, those of other replicas too; asks of each whether it is to be queued. */
  readonly walk: (isGained: (request: ReconcileRequest) => boolean) => Promise<void>;
}

/**
 * Finds the keys that became this replica's. Their events may have been long ago, so all keys are looked at; those that have
 * been its own all along need nothing. One walk at a time: what changes meanwhile is looked at by the next.
 */
export class GainedKeys {
  readonly #options: GainedKeysOptions;
  /** Keys that were this replica's at the last walk, and of which nothing was dropped since. */
  #known: Map<string, boolean> = new Map();
  /** Keys that the present walk found to be this replica's, and whether they were not before. */
  #found: Map<string, boolean> | undefined;
  /** Shares since the last walk began: what one of them denies may have been another's meanwhile. */
  #shares: KeyShare[] = [];
  #isAsked = false;
  #walking: Promise<void> | undefined;

  constructor(options: GainedKeysOptions) {
    this.#options = options;
  }

  /** Looks at all keys, and once more where a walk has begun already; resolves when that is done. */
  changed(share?: KeyShare): Promise<void> {
    if (share) this.#shares.push(share);
    this.#isAsked = true;
    this.#walking ??= this.#run().finally(() => {
      this.#walking = undefined;
    });
    return this.#walking;
  }

  /** Notes that work on a key was not done since the key was not this replica's: it is to be queued once it is. */
  dropped(key: string): void {
    this.#known.delete(key);
    this.#found?.delete(key);
  }

  async #run(): Promise<void> {
    while (this.#isAsked) {
      this.#isAsked = false;
      const shares = this.#shares.splice(0);
      const found = new Map<string, boolean>();
      this.#found = found;
      await this.#options.walk((request) => this.#isGained(request, { shares, found }));
      this.#known = found;
      this.#found = undefined;
    }
  }

  #isGained(
    request: ReconcileRequest,
    walk: { readonly shares: readonly KeyShare[]; readonly found: Map<string, boolean> },
  ): boolean {
    const key = formatObjectKey(request);
    const said = walk.found.get(key);
    if (said !== undefined) return said;
    if (!this.#options.partition.owns(request)) return false;
    const isGained = !this.#known.has(key) || !walk.shares.every((gives) => gives(request));
    walk.found.set(key, isGained);
    return isGained;
  }
}
