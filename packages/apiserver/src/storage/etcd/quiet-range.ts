import type { EtcdClient } from './etcd-client.ts';
import { EtcdError } from './etcd-error.ts';
import type { EtcdEvent } from './etcd-messages.ts';

/** Options for {@link QuietRange}. */
export interface QuietRangeOptions {
  readonly client: EtcdClient;
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
}

/** Codes in a compare: the operator "less than", and the target "revision of the last change". */
const less = 2;
const modRevision = 2;

/**
 * Detects that nothing has changed in a range of keys without etcd's progress notifications, which old versions send
 * too early. Checks that no key has a newer revision and that the number of keys is the same. This check makes etcd
 * read the whole range.
 */
export class QuietRange {
  readonly #options: QuietRangeOptions;
  /** Number of keys in the range, counting the changes that the watch has delivered. */
  #keys: number | undefined;

  constructor(options: QuietRangeOptions) {
    this.#options = options;
  }

  /** Counts the keys at a revision. Does nothing if etcd does not have that revision. */
  async count(revision: number): Promise<void> {
    const { client, key, rangeEnd } = this.#options;
    try {
      this.#keys = (await client.range({ key, rangeEnd, countOnly: true, revision })).count;
    } catch (error) {
      // If the revision has been compacted, the watch itself fails; if it is in the future, there is nothing to count yet.
      const isUnknown = error instanceof EtcdError && error.why?.includes('required revision') === true;
      if (!isUnknown) throw error;
    }
  }

  /** Records changes that the watch has delivered. */
  follow(events: readonly EtcdEvent[]): void {
    if (this.#keys === undefined) return;
    for (const { type, kv } of events) {
      if (type === 1) this.#keys--;
      else if (kv.createRevision === kv.modRevision) this.#keys++;
    }
  }

  /**
   * Returns etcd's current revision if nothing has changed since `revision`, or undefined if the watch has yet to deliver
   * changes.
   */
  async since(revision: number): Promise<number | undefined> {
    if (this.#keys === undefined) await this.count(revision);
    const known = this.#keys;
    const { client, key, rangeEnd } = this.#options;
    const { succeeded, responses, header } = await client.txn({
      compare: [{ result: less, target: modRevision, key, rangeEnd, modRevision: revision + 1 }],
      success: [{ requestRange: { key, rangeEnd, countOnly: true } }],
      failure: [],
    });
    return succeeded && responses[0]?.responseRange?.count === known ? header.revision : undefined;
  }
}
