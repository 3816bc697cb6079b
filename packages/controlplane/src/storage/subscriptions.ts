import type { StorageChange } from './storage.ts';

/** One watcher of a prefix. */
interface Subscription {
  /** Changes up to this revision were delivered already. */
  readonly fromRevision: number;
  readonly handler: (changes: readonly StorageChange[]) => void;
  closed: boolean;
  batch: StorageChange[];
}

/** Hands changes to whoever watches their prefix, all that were made in one turn of the event loop at once. */
export class Subscriptions {
  readonly #byPrefix = new Map<string, Set<Subscription>>();
  #pending: StorageChange[] = [];
  readonly #onFault: (error: unknown) => void;

  /** @param onFault - told what a watcher's handler throws; it costs no other watcher its changes. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Delivers changes newer than `fromRevision` from now on. */
  add(
    options: { readonly prefix: string; readonly fromRevision: number },
    handler: (changes: readonly StorageChange[]) => void,
  ): Disposable {
    const { prefix, fromRevision } = options;
    const subscription: Subscription = { fromRevision, handler, closed: false, batch: [] };
    const siblings = this.#byPrefix.get(prefix) ?? new Set();
    siblings.add(subscription);
    this.#byPrefix.set(prefix, siblings);
    return {
      [Symbol.dispose]: () => {
        subscription.closed = true;
        siblings.delete(subscription);
        if (siblings.size === 0 && this.#byPrefix.get(prefix) === siblings) this.#byPrefix.delete(prefix);
      },
    };
  }

  /** Queues changes that have become visible; they are delivered before the loop's next turn. */
  publish(changes: readonly StorageChange[]): void {
    if (this.#byPrefix.size === 0) return;
    if (this.#pending.length === 0) queueMicrotask(() => this.#flush());
    for (const change of changes) this.#pending.push(change);
  }

  /** Ends all subscriptions. */
  clear(): void {
    for (const siblings of this.#byPrefix.values()) {
      for (const subscription of siblings) subscription.closed = true;
    }
    this.#byPrefix.clear();
  }

  #flush(): void {
    const changes = this.#pending;
    this.#pending = [];
    const touched = new Set<Subscription>();
    for (const change of changes) {
      for (let slash = change.key.indexOf('/'); slash >= 0; slash = change.key.indexOf('/', slash + 1)) {
        for (const subscription of this.#byPrefix.get(change.key.slice(0, slash + 1)) ?? []) {
          if (change.revision <= subscription.fromRevision) continue;
          subscription.batch.push(change);
          touched.add(subscription);
        }
      }
    }
    for (const subscription of touched) this.#deliver(subscription);
  }
  #deliver(subscription: Subscription): void {
    const { batch } = subscription;
    subscription.batch = [];
    if (subscription.closed) return;
    try {
      subscription.handler(batch);
    } catch (error) {
      this.#onFault(error);
    }
  }
}
