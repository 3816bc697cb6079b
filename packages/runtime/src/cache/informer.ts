import type { Clock, Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import { LagGuard } from '../reflector/lag-guard.ts';
import { Reflector } from '../reflector/reflector.ts';
import type { ReflectorSink } from '../reflector/reflector-sink.ts';
import { CacheScope } from './cache-scope.ts';
import type { CachedKind, IndexFunc } from './cached-kind.ts';
import { EventFanOut, type InformerHandler, type Subscription } from './event-fan-out.ts';
import { cacheFault, type InformerGauges } from './informer-gauges.ts';
import type { InformerOptions } from './informer-options.ts';
import { InformerSink } from './informer-sink.ts';
import type { Lister } from './lister.ts';
import { OwnWrites } from './own-writes.ts';
import { type Projection, projectionOf } from './projection.ts';
import { resync } from './resync.ts';
import { Store } from './store.ts';
import type { StoreEntry } from './store-entry.ts';
import { StoreLister } from './store-lister.ts';
import type { StoredVersion } from './stored-version.ts';
import { SyncGate } from './sync-gate.ts';

/** A list and watch, the store it fills, and the subscribed handlers. */
export class Informer<T> {
  readonly kind: Kind<KubernetesObject>;
  readonly lister: Lister<T>;
  /** Writes of this process that the watch has not delivered yet. */
  readonly ownWrites: OwnWrites<T>;
  readonly scope: CacheScope;
  /** Receives lists and watch events. */
  readonly sink: ReflectorSink;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #reflector: Reflector;
  readonly #lag: LagGuard;
  readonly #projection: Projection | undefined;
  readonly #sink: InformerSink<T>;
  readonly #fanOut: EventFanOut<T>;
  readonly #gate = new SyncGate();
  /** Opens once the first list is complete or the kind is known not to be served. */
  readonly #known = new SyncGate();
  readonly #clock: Clock;
  #watches = 0;
  #lists = 0;

  constructor(options: InformerOptions<T>) {
    const { kind, clock, random, listWatcher } = options;
    const log = options.log.with({ kind: kind.kind, group: kind.group });
    this.kind = kind;
    this.scope = options.scope ?? new CacheScope({});
    this.#options = options;
    this.#clock = clock;
    this.#fanOut = new EventFanOut<T>(log);
    this.#projection = projectionOf(options as unknown as CachedKind, {
      onError: (error) =>
        log.error('a transform failed; the object is cached unchanged', { event: logEvents.transformFailed, error }),
    });
    this.#store = new Store<T>({
      kind,
      ownManagers: options.ownManagers,
      indexes: options.indexes,
      decoded: options.decoded,
      metadataOnly: options.metadataOnly,
      onIndexError: (index, error) =>
        log.error('an index function failed', { event: logEvents.indexFailed, index, error }),
    });
    this.ownWrites = new OwnWrites<T>(clock, { isWhole: this.scope.isWhole, isShared: options.isShared });
    this.lister = new StoreLister({ kind, store: this.#store, writes: this.ownWrites, scope: this.scope });
    this.#sink = new InformerSink<T>({
      kind,
      whenMissing: options.whenMissing,
      clock,
      store: this.#store,
      projection: this.#projection,
      ownWrites: this.ownWrites,
      fanOut: this.#fanOut,
      lag: () => this.#lag,
      gate: this.#gate,
      known: this.#known,
    });
    this.sink = this.#sink;
    this.#reflector = new Reflector({
      listWatcher,
      sink: this.#sink,
      clock,
      random,
      log,
      onState: ({ phase, resourceVersion }) => {
        if (phase === 'list') this.#lists++;
        else this.#watches++;
        this.#sink.listsNewest = resourceVersion === '';
      },
      onWatching: (isOpen) => {
        this.ownWrites.watching(isOpen);
        this.#lag.watching(isOpen);
      },
      useWatchList: options.useWatchList,
      isAbsent: options.isAbsent,
      availability: options.availability,
    });
    this.#lag = new LagGuard({
      clock,
      log,
      listWatcher,
      reached: () => (this.hasSynced && this.#sink.isServed ? this.resourceVersion : undefined),
      isListing: () => this.#sink.isListing,
      writes: this.ownWrites,
      renew: (how) => this.#reflector.renew(how),
      confirmed: () => this.#sink.heard(),
    });
  }

  /** True once the first list is complete and all handlers have received it. */
  get hasSynced(): boolean {
    return this.#gate.isOpen;
  }

  /**
   * False while the kind cannot be read because it is known not to be served; always true for kinds declared with
   * `whenMissing: 'empty'`.
   */
  get isServed(): boolean {
    return this.#sink.isServed || this.#options.whenMissing === 'empty';
  }

  /** The resourceVersion that the informer has caught up to. */
  get resourceVersion(): string {
    return this.#sink.resourceVersion;
  }

  /** Milliseconds since the server last sent data about its state. */
  get ageMs(): number {
    return this.#clock.monotonic() - this.#sink.lastEventMs;
  }

  /** A short reason why reads cannot be relied on; undefined if they can. */
  get fault(): string | undefined {
    return cacheFault({
      kind: this.kind.kind,
      hasSynced: this.hasSynced,
      isServed: this.isServed,
      isDoubted: this.#sink.isDoubted,
      ageMs: this.ageMs,
      behindMs: this.#lag.behindMs,
    });
  }

  /** Current metrics. */
  get gauges(): InformerGauges {
    return {
      kind: this.kind.kind,
      objects: this.#store.size,
      ageSeconds: this.ageMs / 1000,
      lagSeconds: this.#lag.lagMs / 1000,
      bytes: this.#store.memory.used,
      watches: this.#watches,
      lists: this.#lists,
    };
  }

  /** Memory of the store outside the heap, in bytes. */
  get memory(): { readonly live: number; readonly used: number } {
    return this.#store.memory;
  }

  /** Number of subscribed handlers. */
  get handlers(): number {
    return this.#fanOut.size;
  }

  /** Follows the server until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, resyncMs = 36_000_000 } = this.#options;
    const replay = { clock, random, periodMs: resyncMs, signal };
    await Promise.all([
      this.#reflector.run(signal),
      this.#lag.run(signal),
      resync(replay, { entries: () => this.#store.entries(), show: (entry) => this.#replay(entry) }),
    ]);
  }

  /**
   * Waits for the first list.
   *
   * @throws KindNotServedError (KW3016) when the kind is declared with `whenMissing: 'fail'`.
   */
  waitForSync(signal: AbortSignal): Promise<void> {
    return this.#gate.wait(signal);
  }

  /**
   * Waits for the first list, or until the kind is known not to be served.
   *
   * @throws KindNotServedError (KW3016) when the kind is declared with `whenMissing: 'fail'`.
   */
  waitUntilKnown(signal: AbortSignal): Promise<void> {
    return this.#known.wait(signal);
  }

  /** Delivers a create event for each existing object, and all later changes, to a handler. */
  subscribe(handler: InformerHandler<T>): Subscription {
    return this.#fanOut.subscribe(handler, {
      clock: this.#clock,
      present: this.#store.entries(),
      isCurrent: (entry) => this.#store.get(entry.namespace ?? '', entry.name) === entry,
    });
  }

  /** Adds indexes and fills them with the existing objects. */
  addIndexes(indexes: Readonly<Record<string, IndexFunc<T>>>): void {
    this.#store.addIndexes(indexes);
  }

  /** Returns the name of an existing index that has a different function, or undefined. */
  conflictingIndex(indexes: Readonly<Record<string, IndexFunc<T>>>): string | undefined {
    return this.#store.indexer.conflicting(indexes);
  }

  /** Sends delete events for all objects to a handler that no longer follows this informer. */
  withdraw(handler: InformerHandler<T>): void {
    for (const object of this.#store.entries()) {
      this.#fanOut.notify(handler, { type: 'delete', object, deleteStateUnknown: true });
    }
  }

  /** Records the API server's response to a write of this process, or to a live read. */
  noteWrite(object: KubernetesObject): void {
    const { namespace = '', name = '' } = object.metadata;
    const inScope = this.scope.holds(object);
    const kept = inScope && this.#projection ? this.#projection.object(object) : object;
    this.ownWrites.wrote(kept, { stored: this.#store.get(namespace, name), inScope });
  }

  /** Records a write whose response shows the object in another version of its API. */
  noteConverted(key: ObjectKey, version: StoredVersion): void {
    this.ownWrites.wroteConverted(key, { version, stored: this.#store.get(key.namespace ?? '', key.name) });
  }

  /** Records that an object deleted by this process no longer exists. */
  noteDeletion(key: ObjectKey, uid: string): void {
    this.ownWrites.deleted(key, { uid, stored: this.#store.get(key.namespace ?? '', key.name) });
  }

  /** Records a deletion whose outcome is unknown. */
  noteUncertainDeletion(key: ObjectKey, version: StoredVersion): void {
    this.ownWrites.uncertainDeletion(key, { version, stored: this.#store.get(key.namespace ?? '', key.name) });
  }

  /** Starts tracking a live read; call the returned function with the object that was read. */
  reading(key: ObjectKey): (object: KubernetesObject | undefined) => void {
    const uid = this.presentUid(key);
    const mark = this.ownWrites.uncertainty(key);
    const outside = this.ownWrites.outsideVersion(key);
    return (object) => {
      if (object) this.noteWrite(object);
      else if (uid !== undefined) this.noteDeletion(key, uid);
      if (!object) this.ownWrites.absent(key, outside);
      this.ownWrites.settled(key, mark);
    };
  }

  /** Returns the UID of the object that reads return for the key. */
  presentUid(key: ObjectKey): string | undefined {
    return this.ownWrites.newest(key, this.#store.get(key.namespace ?? '', key.name))?.uid;
  }

  #replay(entry: StoreEntry<T>): void {
    if (this.#store.get(entry.namespace, entry.name) !== entry) return;
    this.#fanOut.dispatch({ type: 'update', old: entry, object: entry });
  }
}
