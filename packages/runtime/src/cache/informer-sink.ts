import type { Clock, Kind, KubernetesObject } from '@kubewright/apimachinery';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import type { LagGuard } from '../reflector/lag-guard.ts';
import type { ReflectorSink } from '../reflector/reflector-sink.ts';
import { MalformedJsonError, readString } from '../scan/json-bytes.ts';
import { MetadataScan } from '../scan/metadata-scan.ts';
import { KindNotServedError } from './cache-errors.ts';
import type { EventFanOut } from './event-fan-out.ts';
import type { InformerOptions } from './informer-options.ts';
import type { OwnWrites } from './own-writes.ts';
import type { Projection } from './projection.ts';
import type { Store } from './store.ts';
import type { StoreEntry } from './store-entry.ts';
import type { SyncGate } from './sync-gate.ts';

/** Options for {@link InformerSink}. */
export interface InformerSinkOptions<T> {
  readonly kind: Kind<KubernetesObject>;
  readonly whenMissing: InformerOptions<T>['whenMissing'];
  readonly clock: Clock;
  readonly store: Store<T>;
  readonly projection: Projection | undefined;
  readonly ownWrites: OwnWrites<T>;
  readonly fanOut: EventFanOut<T>;
  readonly lag: () => LagGuard;
  /** Opens when the first list is complete. */
  readonly gate: SyncGate;
  /** Opens once the first list is complete or the kind is known not to be served. */
  readonly known: SyncGate;
}

/** Applies lists and watch events to an informer's store, and dispatches the changes to its handlers. */
export class InformerSink<T> implements ReflectorSink {
  readonly #options: InformerSinkOptions<T>;
  readonly #scan = new MetadataScan();
  #listing = false;
  /** True if the list requests the newest state instead of a state from the server's cache. */
  listsNewest = false;
  #served = true;
  #doubted = false;
  #resourceVersion = '';
  #lastEventMs: number;

  constructor(options: InformerSinkOptions<T>) {
    this.#options = options;
    this.#lastEventMs = options.clock.monotonic();
  }

  get isListing(): boolean {
    return this.#listing;
  }

  /** False while the kind is known not to be served. */
  get isServed(): boolean {
    return this.#served;
  }

  /** True while it is unknown whether the kind is still served. */
  get isDoubted(): boolean {
    return this.#doubted;
  }

  /** The resourceVersion that the store has caught up to. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** Time at which the server last sent data about its state, on the monotonic clock. */
  get lastEventMs(): number {
    return this.#lastEventMs;
  }

  beginListing(): void {
    this.#listing = true;
    this.#options.store.beginListing();
  }

  put(bytes: Buffer, start: number, end: number): string {
    this.heard();
    const kept = this.#options.projection?.bytes(bytes, start, end);
    const { old, entry, version } = kept
      ? this.#options.store.put(kept.bytes, kept.start, kept.end)
      : this.#options.store.put(bytes, start, end);
    if (this.#options.ownWrites.isExpecting) this.#options.ownWrites.seen(entry.key, { stored: entry });
    this.#showed(version);
    if (old !== entry) this.#changed(old, entry);
    return version;
  }

  remove(bytes: Buffer, start: number, end: number): string {
    this.heard();
    const scan = this.#scan;
    scan.scan(bytes, start, end);
    const text = (at: number, to: number): string => (at === 0 ? '' : readString(bytes, start + at, start + to));
    const name = text(scan.nameAt, scan.nameEnd);
    if (name === '') throw new MalformedJsonError(`the name of a deleted ${this.#options.kind.kind}`);
    const namespace = text(scan.namespaceAt, scan.namespaceEnd);
    const version = text(scan.resourceVersionAt, scan.resourceVersionEnd);
    const before = this.#options.store.get(namespace, name);
    if (before && !isOlder(version, before.resourceVersion)) {
      // The delete event carries the last state, so store it briefly before removing the object.
      const isLast = before.uid === text(scan.uidAt, scan.uidEnd);
      const last = isLast ? this.#last(bytes, start, end) : before;
      this.#options.store.remove(namespace, name);
      this.#gone(last, !isLast);
    }
    this.#showed(version);
    return version;
  }

  endListing(resourceVersion: string): void {
    this.#listing = false;
    this.#served = true;
    this.#doubted = false;
    for (const entry of this.#options.store.endListing()) this.#gone(entry, true);
    this.heard();
    const restarted = isOlder(resourceVersion, this.#resourceVersion);
    this.#resourceVersion = resourceVersion;
    this.#options.ownWrites.caughtUp(resourceVersion, restarted);
    this.#options.lag().listed(this.listsNewest);
    this.#options.gate.open();
    this.#options.known.open();
  }

  reached(resourceVersion: string): void {
    this.heard();
    this.#options.lag().bookmarked();
    this.#showed(resourceVersion);
  }

  doubted(): void {
    this.#doubted = true;
  }

  notServed(): void {
    this.#listing = false;
    this.#served = false;
    this.#doubted = false;
    this.#options.store.beginListing();
    for (const entry of this.#options.store.endListing()) this.#gone(entry, true);
    const { whenMissing = 'wait' } = this.#options;
    if (whenMissing === 'empty') this.#options.gate.open();
    else if (whenMissing === 'fail') {
      const error = new KindNotServedError(this.#options.kind);
      this.#options.gate.fail(error);
      this.#options.known.fail(error);
    }
    if (whenMissing !== 'fail') this.#options.known.open();
  }

  /** Records that the server sent data about its state. */
  heard(): void {
    this.#lastEventMs = this.#options.clock.monotonic();
  }

  #last(bytes: Buffer, start: number, end: number): StoreEntry<T> {
    const kept = this.#options.projection?.bytes(bytes, start, end) ?? { bytes, start, end };
    return this.#options.store.put(kept.bytes, kept.start, kept.end).entry;
  }

  /** Records that the watch has reached a version. Versions arrive in order, except while listing. */
  #showed(resourceVersion: string): void {
    if (this.#listing || isOlder(resourceVersion, this.#resourceVersion)) return;
    if (resourceVersion === this.#resourceVersion) return;
    this.#resourceVersion = resourceVersion;
    this.#options.ownWrites.caughtUp(resourceVersion);
    this.#options.lag().progressed();
  }

  #changed(old: StoreEntry<T> | undefined, entry: StoreEntry<T>): void {
    if (!old) {
      this.#options.fanOut.dispatch({ type: 'create', object: entry, isInInitialList: !this.#options.gate.isOpen });
      return;
    }
    if (old.uid === entry.uid) {
      this.#options.fanOut.dispatch({ type: 'update', old, object: entry });
      return;
    }
    // The object was deleted and recreated under the same name between two events.
    this.#options.fanOut.dispatch({ type: 'delete', object: old, deleteStateUnknown: true });
    this.#options.fanOut.dispatch({ type: 'create', object: entry, isInInitialList: false });
  }

  #gone(entry: StoreEntry<T>, deleteStateUnknown: boolean): void {
    this.#options.ownWrites.seen(entry.key, { removed: entry });
    this.#options.fanOut.dispatch({ type: 'delete', object: entry, deleteStateUnknown });
  }
}

/** Reports whether a version is known to be older than another version. */
function isOlder(version: string, than: string): boolean {
  return (compareResourceVersions(version, than) ?? 0) < 0;
}
