import type { EtcdClient } from './etcd-client.ts';
import { EtcdError } from './etcd-error.ts';
import type { EtcdEvent } from './etcd-messages.ts';

/** Parts of a {@link QuietRange}. */
export interface QuietRangeOptions {
  readonly client: EtcdClient;
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
}

/** In compares: less than, and the revision of the last change. */
const less = 2;
const modRevision = 2;

/**
 * Detects that nothing has changed in a range of keys without relying on etcd's progress notifications, which old versions send too
 * early: no key has a newer revision, and the number of keys is the same. Etcd reads the whole range for it.
 */
export class QuietRange {
  readonly #options: QuietRangeOptions;
  /** The number of keys that the watch has seen. */
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
      // A watch of a compacted revision fails by itself, and one of a future revision has nothing to wait for yet.
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

  /** Returns the last revision up to which nothing has changed since `revision`; undefined if changes are still in transit. */
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
