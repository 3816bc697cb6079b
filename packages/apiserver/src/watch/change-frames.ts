import type { KubernetesObject } from '@kubewright/apimachinery';
import type { StorageChange, StoredObject } from '../storage/index.ts';
import { frame } from './watch-frame.ts';
import type { WatchFilter, WatchItem, WatchRepresentation } from './watch-request.ts';

/** Decodes stored bytes. The result may come from a cache, so it must not be modified. */
export type DecodeStored = (stored: StoredObject) => KubernetesObject;

type Transition = 'ADDED' | 'MODIFIED' | 'DELETED';

/** Encodes one change as frames for different watchers. Each result is computed once, on first use. */
export class ChangeFrames {
  readonly #change: StorageChange;
  readonly #decode: DecodeStored;
  readonly #transitions = new Map<string, Transition | undefined>();
  readonly #frames = new Map<string, Uint8Array>();
  #current: WatchItem | undefined;
  #deleted: WatchItem | undefined;

  constructor(change: StorageChange, decode: DecodeStored) {
    this.#change = change;
    this.#decode = decode;
  }

  get revision(): number {
    return this.#change.revision;
  }

  /**
   * Returns the frame for watchers with a filter and a representation; `undefined` if these watchers must not get the
   * change.
   */
  frame(
    filter: WatchFilter | undefined,
    options: { readonly representation: WatchRepresentation; readonly first: boolean },
  ): Uint8Array | undefined {
    const transition = this.#transition(filter);
    if (!transition) return undefined;
    const { representation, first } = options;
    const key = `${transition} ${first} ${representation.id}`;
    const known = this.#frames.get(key);
    if (known) return known;
    const item = transition === 'DELETED' ? this.#deletedItem() : this.#currentItem();
    const made = frame(representation, transition, representation.encode(item, { first }));
    this.#frames.set(key, made);
    return made;
  }

  #transition(filter: WatchFilter | undefined): Transition | undefined {
    const { current, previous } = this.#change;
    if (!filter) return current ? (previous ? 'MODIFIED' : 'ADDED') : 'DELETED';
    if (this.#transitions.has(filter.id)) return this.#transitions.get(filter.id);
    const matches = (stored: StoredObject | undefined): boolean =>
      stored !== undefined && filter.matches(storedItem(stored, this.#decode));
    const [now, before] = [matches(current), matches(previous)];
    const transition = now ? (before ? 'MODIFIED' : 'ADDED') : before ? 'DELETED' : undefined;
    this.#transitions.set(filter.id, transition);
    return transition;
  }

  #currentItem(): WatchItem {
    const stored = this.#change.current as StoredObject; // set for ADDED and MODIFIED
    this.#current ??= storedItem(stored, this.#decode);
    return this.#current;
  }

  #deletedItem(): WatchItem {
    const stored = this.#change.previous as StoredObject; // set for DELETED
    this.#deleted ??= storedItem({ ...stored, revision: this.#change.revision }, this.#decode);
    return this.#deleted;
  }
}

/** Wraps a stored object as a watch item. */
export function storedItem(stored: StoredObject, decode: DecodeStored): WatchItem {
  return {
    key: stored.key,
    bytes: stored.bytes,
    revision: stored.revision,
    get object() {
      return decode(stored);
    },
  };
}
