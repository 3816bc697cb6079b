import { formatObjectKey } from '@kubewright/apimachinery';
import type { ReconcileRequest } from '../../handler/event-handler.ts';
import type { KeyShare, Partition } from '../definition/partition.ts';

/** Options for {@link GainedKeys}. */
export interface GainedKeysOptions {
  readonly partition: Partition;
  /**
   * Visits all existing keys, including those of other replicas; calls `isGained` for each key and queues the key if
   * the result is true.
   */
  readonly walk: (isGained: (request: ReconcileRequest) => boolean) => Promise<void>;
}

/**
 * Finds keys that this replica newly owns. Their last events may have been delivered long ago, so each walk visits all
 * keys and skips keys that this replica has owned all along. Only one walk runs at a time; the next walk covers changes
 * during the current walk.
 */
export class GainedKeys {
  readonly #options: GainedKeysOptions;
  /** Keys that this replica owned at the last walk and that were not dropped since. */
  #known: Map<string, boolean> = new Map();
  /** Keys that the current walk found to belong to this replica; true if newly gained. */
  #found: Map<string, boolean> | undefined;
  /**
   * Shares since the last walk began. A key missing from any of these shares may have belonged to another replica in
   * the meantime.
   */
  #shares: KeyShare[] = [];
  #isAsked = false;
  #walking: Promise<void> | undefined;

  constructor(options: GainedKeysOptions) {
    this.#options = options;
  }

  /** Visits all keys; if a walk is already running, starts another walk after it. Resolves when done. */
  changed(share?: KeyShare): Promise<void> {
    if (share) this.#shares.push(share);
    this.#isAsked = true;
    this.#walking ??= this.#run().finally(() => {
      this.#walking = undefined;
    });
    return this.#walking;
  }

  /**
   * Records that work on a key was skipped because this replica did not own the key, so the key is queued once this
   * replica owns it.
   */
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
