import type { Clock, Kind, KubernetesObject, ObjectKey, Random } from '@kubewright/apimachinery';
import type { ObjectEvent } from '../handler/events.ts';
import type { Logger } from '../log/logger.ts';
import type { ListWatcher } from '../reflector/list-watcher.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorSink } from '../reflector/reflector-sink.ts';
import type { IndexFunc } from './cached-kind.ts';
import type { DecodedObjects } from './decoded-objects.ts';
import { MalformedJsonError, readString } from './json-bytes.ts';
import type { Lister } from './lister.ts';
import { MetadataScan } from './metadata-scan.ts';
import { OwnWrites } from './own-writes.ts';
import { Store } from './store.ts';
import type { StoreEntry } from './store-entry.ts';
import { StoreLister } from './store-lister.ts';

/** Options of an {@link Informer}. */
export interface InformerOptions<T> {
  readonly kind: Kind<KubernetesObject>;
  readonly listWatcher: ListWatcher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly ownManagers?: ReadonlySet<string>;
  readonly indexes?: Readonly<Record<string, IndexFunc<T>>>;
  readonly decoded?: DecodedObjects;
  readonly useWatchList?: boolean;
}

/** Told of each change, synchronously, after the store has taken it. What it throws is logged and reaches no other handler. */
export type InformerHandler<T> = (event: ObjectEvent<T>) => void;

/** One list and watch, the store it fills, and those who want to know. */
export class Informer<T> implements ReflectorSink {
  readonly kind: Kind<KubernetesObject>;
  readonly lister: Lister<T>;
  /** Writes of this process that the watch has not shown yet. */
  readonly ownWrites: OwnWrites<T>;
  readonly #store: Store<T>;
  readonly #reflector: Reflector;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #scan = new MetadataScan();
  readonly #waiters = new Set<() => void>();
  #synced = false;
  #listing = false;
  #resourceVersion = '';
  #lastEventMs: number;

  constructor(options: InformerOptions<T>) {
    const { kind, clock, random } = options;
    this.kind = kind;
    this.#clock = clock;
    this.#lastEventMs = clock.monotonic();
    this.#log = options.log.with({ kind: kind.kind, group: kind.group });
    this.#store = new Store<T>({
      kind,
      ...(options.ownManagers && { ownManagers: options.ownManagers }),
      ...(options.indexes && { indexes: options.indexes }),
      ...(options.decoded && { decoded: options.decoded }),
      onIndexError: (index, error) => this.#log.error('an index function failed', { index, error }),
    });
    this.ownWrites = new OwnWrites<T>(clock);
    this.lister = new StoreLister(this.#store, this.ownWrites);
    this.#reflector = new Reflector({
      listWatcher: options.listWatcher,
      sink: this,
      clock,
      random,
      log: this.#log,
      onOpened: () => {
        this.#lastEventMs = clock.monotonic();
      },
      ...(options.useWatchList !== undefined && { useWatchList: options.useWatchList }),
    });
  }

  /** True once the first listing is complete and all handlers were told of it. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** The version up to which the server's state was seen. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Milliseconds since anything came from the server, an event or the beginning of an answer. */
  get ageMs(): number {
    return this.#clock.monotonic() - this.#lastEventMs;
  }

  /** What metrics show of it. */
  get gauges(): {
    readonly kind: string;
    readonly objects: number;
    readonly ageSeconds: number;
    readonly bytes: number;
  } {
    return {
      kind: this.kind.kind,
      objects: this.#store.size,
      ageSeconds: this.ageMs / 1000,
      bytes: this.#store.memory.used,
    };
  }

  /** Memory of the store outside the heap, in bytes. */
  get memory(): { readonly live: number; readonly used: number } {
    return this.#store.memory;
  }

  /** Follows the server until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.#reflector.run(signal);
  }

  /** Waits for the first listing. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#synced) return;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiters.delete(onSync);
        reject(signal.reason);
      };
      const onSync = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      this.#waiters.add(onSync);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Tells a handler of every change from now on, after a create event for each object that is here already. */
  subscribe(handler: InformerHandler<T>): Disposable {
    // Synchronous, so that no change can slip in between replay and subscription.
    for (const entry of this.#store.entries())
      this.#tell(handler, { type: 'create', object: entry, isInInitialList: true });
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Notes what the API server answered to a write of this process. */
  noteWrite(object: KubernetesObject): void {
    const { namespace = '', name = '' } = object.metadata;
    this.ownWrites.wrote(object, this.#store.get(namespace, name));
  }

  /** Notes that an object that this process deleted is gone. */
  noteDeletion(key: ObjectKey, uid: string): void {
    this.ownWrites.deleted(key, { uid, stored: this.#store.get(key.namespace ?? '', key.name) });
  }

  beginListing(): void {
    this.#listing = true;
    this.#store.beginListing();
  }

  put(bytes: Buffer, start: number, end: number): string {
    this.#lastEventMs = this.#clock.monotonic();
    const { old, entry } = this.#store.put(bytes, start, end);
    if (this.ownWrites.size > 0) this.ownWrites.seen(entry.key, { stored: entry });
    this.#showed(entry.resourceVersion);
    if (old !== entry) this.#changed(old, entry);
    return entry.resourceVersion;
  }

  remove(bytes: Buffer, start: number, end: number): string {
    this.#lastEventMs = this.#clock.monotonic();
    const scan = this.#scan;
    scan.scan(bytes, start, end);
    const text = (at: number, to: number): string => (at === 0 ? '' : readString(bytes, start + at, start + to));
    const name = text(scan.nameAt, scan.nameEnd);
    if (name === '') throw new MalformedJsonError(`a deleted ${this.kind.kind} without a name`);
    const namespace = text(scan.namespaceAt, scan.namespaceEnd);
    const resourceVersion = text(scan.resourceVersionAt, scan.resourceVersionEnd);
    const before = this.#store.get(namespace, name);
    // The last state is what handlers shall see; the store takes it for a moment, then lets it go.
    const last = before ? this.#store.put(bytes, start, end).entry : undefined;
    if (last) {
      this.#store.remove(namespace, name);
      this.#gone(last, false);
    }
    this.#showed(resourceVersion);
    return resourceVersion;
  }

  endListing(resourceVersion: string): void {
    this.#listing = false;
    for (const entry of this.#store.endListing()) this.#gone(entry, true);
    this.reached(resourceVersion);
    if (this.#synced) return;
    this.#synced = true;
    for (const waiter of [...this.#waiters]) waiter();
    this.#waiters.clear();
  }

  reached(resourceVersion: string): void {
    this.#lastEventMs = this.#clock.monotonic();
    this.#showed(resourceVersion);
  }

  /** Versions come in order, except while the present state is listed. */
  #showed(resourceVersion: string): void {
    if (this.#listing) return;
    this.#resourceVersion = resourceVersion;
    this.ownWrites.caughtUp(resourceVersion);
  }

  #changed(old: StoreEntry<T> | undefined, entry: StoreEntry<T>): void {
    if (!old) {
      this.#dispatch({ type: 'create', object: entry, isInInitialList: !this.#synced });
      return;
    }
    if (old.uid === entry.uid) {
      this.#dispatch({ type: 'update', old, object: entry });
      return;
    }
    // Deleted and made again under the same name while nobody looked.
    this.#dispatch({ type: 'delete', object: old, deleteStateUnknown: true });
    this.#dispatch({ type: 'create', object: entry, isInInitialList: false });
  }

  #gone(entry: StoreEntry<T>, deleteStateUnknown: boolean): void {
    this.ownWrites.seen(entry.key, { removed: entry });
    this.#dispatch({ type: 'delete', object: entry, deleteStateUnknown });
  }

  #dispatch(event: ObjectEvent<T>): void {
    for (const handler of this.#handlers) this.#tell(handler, event);
  }

  #tell(handler: InformerHandler<T>, event: ObjectEvent<T>): void {
    try {
      handler(event);
    } catch (error) {
      const { namespace, name } = event.object;
      this.#log.error('an event handler failed', { namespace, name, event: event.type, error });
    }
  }
}
