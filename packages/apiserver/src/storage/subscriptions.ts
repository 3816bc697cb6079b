import type { StorageChange } from './storage.ts';

/** One watcher of a prefix. */
interface Subscription {
  /** Changes up to this revision have already been delivered. */
  readonly fromRevision: number;
  readonly handler: (changes: readonly StorageChange[]) => void;
  closed: boolean;
  batch: StorageChange[];
}

/** Delivers changes to the watchers of their prefix, batching all changes of one turn of the event loop. */
export class Subscriptions {
  readonly #byPrefix = new Map<string, Set<Subscription>>();
  #pending: StorageChange[] = [];
  readonly #onFault: (error: unknown) => void;

  /** @param onFault - called with errors thrown by a watcher's handler; other watchers still get their changes. */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  /** Adds a subscription to changes newer than `fromRevision`. */
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

  /** Queues visible changes for delivery in a microtask. */
  publish(changes: readonly StorageChange[]): void {
    if (this.#byPrefix.size === 0) return;
    if (this.#pending.length === 0) queueMicrotask(() => this.#flush());
    for (const change of changes) this.#pending.push(change);
  }

  /** Closes all subscriptions. */
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
