import type { Clock, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import { compareResourceVersions } from '@kubewright/apimachinery/internal';
import type { ObjectView } from '../handler/object-view.ts';
import { PendingWrites } from './pending-writes.ts';
import { remember } from './remember.ts';
import { Removals } from './removals.ts';
import { isDeletionOf, reached, type StoredVersion } from './stored-version.ts';
import { UncertainObjects } from './uncertain-objects.ts';
import { WatchTime } from './watch-time.ts';
import { writtenView } from './written-view.ts';

/**
 * How long to remember a deletion or write that the watch may never show, in milliseconds; only time with an open watch
 * counts. Other writes are dropped once the watch has passed them, or when a list does not contain them.
 */
const patienceMs = 600_000;
/**
 * Writes of this process that its watch has not shown yet; ensures that reads after a write never return an older version.
 *
 * A watch delivers changes in version order. Once the watch has passed a write, the watch's state of the written key is
 * newer than the write, even if it shows no object because the object was deleted or left the selector.
 *
 * Memory is bounded. The content of the latest 10,000 writes is kept; older written objects are read live until the
 * watch has passed them, up to 100,000 writes. For objects outside the selector, deletions, and objects in an unknown
 * state, the latest 10,000 of each are remembered.
 */
export class OwnWrites<T> {
  readonly #clock: Clock;
  readonly #isWhole: boolean;
  readonly #isShared: boolean;
  readonly #writes = new PendingWrites<T>();
  /** Keyed by UID, because several objects of the same name may have been deleted. */
  readonly #deleted = new Map<string, Noted & { readonly key: string }>();
  readonly #uncertain: UncertainObjects;
  /**
   * Latest versions written outside the scope, until the watch shows the object back in scope or the server reports it missing.
   */
  readonly #outside = new Map<string, StoredVersion>();
  readonly #removed = new Removals();
  #reached = '';
  readonly #time: WatchTime;

  /**
   * @param options - `isWhole`: true if a removal in the watch always means a deletion, because there is no selector to
   * leave. `isShared`: true if some readers may not be allowed to query the server; no object then counts as being in
   * an unknown state.
   */
  constructor(clock: Clock, options: { readonly isWhole?: boolean; readonly isShared?: boolean | undefined } = {}) {
    this.#clock = clock;
    this.#time = new WatchTime(clock);
    this.#uncertain = new UncertainObjects(this.#time);
    this.#isWhole = options.isWhole ?? true;
    this.#isShared = options.isShared ?? false;
  }

  get size(): number {
    return this.#writes.size + this.#deleted.size;
  }

  /** True while {@link seen} has something to track; otherwise callers can skip calling it. */
  get isExpecting(): boolean {
    return this.size > 0 || this.#outside.size > 0 || this.#uncertain.size > 0;
  }

  /** Records that a watch has opened or ended; while no watch is open, no entry expires. */
  watching(isOpen: boolean): void {
    this.#time.watching(isOpen);
  }

  /** Records that a deletion is about to be sent; dispose the result once its response has been recorded. */
  deleting(): Disposable {
    return this.#removed.deleting();
  }

  /**
   * Records the object in the server's response to a write or live read, unless the watch has already passed the
   * object's version.
   */
  wrote(
    object: KubernetesObject,
    what: { readonly stored: StoredVersion | undefined; readonly inScope: boolean },
  ): void {
    const { uid = '', resourceVersion = '', name = '', namespace } = object.metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    const id = keyOf(key);
    this.#forgetOld();
    // The versions have no order, so only the server knows which state is newer.
    if (compareResourceVersions(resourceVersion, resourceVersion) === undefined) {
      this.uncertain(key);
      return;
    }
    const written = { uid, resourceVersion };
    if (what.stored && reached(what.stored, written)) return;
    // This response arrived after the response to the object's deletion.
    const removed = this.#removed.get(uid);
    if (this.#deleted.has(uid) || (removed && reached(removed, written))) return;
    const newer = this.#writes.get(id);
    // Record an equal version again: after a restore from a backup, the same version may belong to a different write,
    // which no list can have shown yet.
    if (newer && newer.resourceVersion !== resourceVersion && reached(newer, written)) return;
    const outside = this.#outside.get(id);
    if (outside && !reached(written, outside)) return;
    if (what.inScope) this.#outside.delete(id);
    else remember(this.#outside, id, written);
    if (this.#hasComePast(resourceVersion)) return;
    const view = what.inScope ? writtenView<T>(object) : undefined;
    const { inScope } = what;
    const noted = inScope ? { ...this.#noted(), untilMs: Number.POSITIVE_INFINITY } : this.#noted();
    this.#writes.set(id, { inScope, key, ...written, ...noted }, view);
  }

  /** Records that the object with the given UID has been deleted. */
  deleted(key: ObjectKey, what: { readonly uid: string; readonly stored: StoredVersion | undefined }): void {
    const { uid, stored } = what;
    this.#forgetOld();
    const id = keyOf(key);
    this.#outside.delete(id);
    const written = this.#writes.get(id);
    if (uid === '' || (this.#isWhole && this.#removed.get(uid))) return;
    // The watch may still show earlier objects of the same name. All of them are older than the deleted object, but if
    // this process never saw the deleted object, there is no way to tell which versions are older.
    if (written?.uid === uid) this.#writes.set(id, written, undefined);
    else if (stored?.uid !== uid) this.uncertain(key);
    remember(this.#deleted, uid, { key: id, ...this.#noted() });
  }

  /** Records an operation with an unknown outcome on an object. */
  uncertain(key: ObjectKey): void {
    this.#doubt({ key });
  }

  /**
   * Records that the deletion of this version of an object was requested and its outcome is unknown. The watch resolves
   * the uncertainty by showing the removal, a successor, or a version that is being deleted.
   */
  uncertainDeletion(
    key: ObjectKey,
    what: { readonly version: StoredVersion; readonly stored: StoredVersion | undefined },
  ): void {
    const { version, stored } = what;
    if (this.#isWhole && this.#removed.get(version.uid)) return;
    if (stored && isDeletionOf(version, stored)) return;
    this.#doubt({ key, deletionOf: version });
  }

  /**
   * Records that an object was written in another version of its API, so its content in the cached version is unknown.
   * The watch resolves the uncertainty by showing the written version or a later one.
   */
  wroteConverted(
    key: ObjectKey,
    what: { readonly version: StoredVersion; readonly stored: StoredVersion | undefined },
  ): void {
    const { version, stored } = what;
    const { uid, resourceVersion } = version;
    if (compareResourceVersions(resourceVersion, resourceVersion) === undefined) {
      this.uncertain(key);
      return;
    }
    const removed = this.#removed.get(uid);
    if (this.#deleted.has(uid) || (removed && reached(removed, version))) return;
    if ((stored && reached(stored, version)) || this.#hasComePast(resourceVersion)) return;
    const { writtenAs, mark } = this.#uncertain.get(keyOf(key)) ?? {};
    // The watch cannot resolve uncertainty that has another cause.
    if (mark !== undefined && !writtenAs) this.uncertain(key);
    else if (!writtenAs || !reached(writtenAs, version)) this.#doubt({ key, writtenAs: version });
  }

  #doubt(what: Parameters<UncertainObjects['add']>[1]): void {
    if (this.#isShared) return;
    this.#forgetOld();
    this.#uncertain.add(keyOf(what.key), what);
  }

  /** Returns a mark for the current uncertainty about an object; undefined if its state is known. */
  uncertainty(key: ObjectKey): number | undefined {
    return this.#uncertain.get(keyOf(key))?.mark;
  }

  /** Records that the server was queried after `mark` was taken; later uncertainty remains. */
  settled(key: ObjectKey, mark: number | undefined): void {
    if (mark !== undefined && this.uncertainty(key) === mark) this.#uncertain.delete(keyOf(key));
  }

  /** Records an event from the watch: a version of the key, or its removal with the last version. */
  seen(key: ObjectKey, what: { readonly stored: StoredVersion } | { readonly removed: StoredVersion }): void {
    const removed = 'removed' in what;
    const version = removed ? what.removed : what.stored;
    if (removed) this.#removed.removed(version);
    if (!this.isExpecting) return;
    const id = keyOf(key);
    const outside = removed ? undefined : this.#outside.get(id);
    // The write moved the object out of scope; if the watch shows that version or a later one, the object is in scope again.
    if (outside && reached(version, outside)) this.#outside.delete(id);
    const written = this.#writes.get(id);
    if (written && reached(version, written)) this.#writes.delete(id);
    if (removed && this.#isWhole) this.#deleted.delete(version.uid);
    this.#uncertain.seen(id, { version, removed, isWhole: this.#isWhole });
  }

  /**
   * Records that the watch has delivered all changes up to this version; `restarted` means that versions have started
   * over.
   */
  caughtUp(resourceVersion: string, restarted = false): void {
    this.#reached = resourceVersion;
    // Writes and deletions belong to a history that no longer exists.
    if (restarted) for (const each of [this.#writes, this.#deleted, this.#outside, this.#removed]) each.clear();
    this.#writes.drop((version) => this.#hasComePast(version));
  }

  /**
   * Drops entries recorded before `beforeMs`; called after a list of the newest state that started at that time or
   * later did not show them.
   */
  lost(beforeMs: number): void {
    for (const [id, { atMs }] of this.#writes.all()) if (atMs < beforeMs) this.#writes.delete(id);
    for (const [id, { atMs }] of this.#deleted) if (atMs < beforeMs) this.#deleted.delete(id);
  }

  /** Returns the newer of the stored and the written entry, or `undefined` if the object does not exist. */
  newest<E extends StoredVersion>(key: ObjectKey, stored: E | undefined): E | ObjectView<T> | undefined {
    if (this.size === 0) return stored;
    const present = stored && this.#deleted.has(stored.uid) ? undefined : stored;
    const id = keyOf(key);
    const written = this.#writes.get(id);
    if (!written || (stored && reached(stored, written))) return present;
    return this.#writes.isReleased(id) ? present : this.#writes.view(id);
  }

  /** Written objects that a list of the stored entries may lack. */
  pending(): Iterable<ObjectView<T>> {
    return this.#writes.views();
  }

  /** The newest version written inside the scope that the watch has yet to deliver. */
  get awaited(): string | undefined {
    return this.#writes.newestInScope;
  }

  /** Reports whether this process wrote the object outside the cache's scope, so reads from the cache would miss it. */
  isOutside(key: ObjectKey): boolean {
    return this.#outside.has(keyOf(key));
  }

  /** Returns the version that was written outside the scope, or undefined. */
  outsideVersion(key: ObjectKey): StoredVersion | undefined {
    return this.#outside.get(keyOf(key));
  }

  /** Records that the server has no object with the key; later writes outside the scope stay recorded. */
  absent(key: ObjectKey, outside: StoredVersion | undefined): void {
    if (outside && this.outsideVersion(key) === outside) this.#outside.delete(keyOf(key));
  }

  /** Returns the keys of objects whose current state only the server knows. */
  uncertainKeys(namespace: string | undefined): readonly ObjectKey[] {
    const released = this.#isShared ? [] : this.#writes.released();
    if (this.#uncertain.size === 0 && released.length === 0) return [];
    this.#forgetOld();
    const keys = [...this.#uncertain.keys(), ...released];
    return namespace === undefined ? keys : keys.filter((key) => key.namespace === namespace);
  }

  isUncertain(key: ObjectKey): boolean {
    if (this.#isShared) return false;
    if (this.#writes.isReleased(keyOf(key))) return true;
    if (this.#uncertain.size === 0) return false;
    this.#forgetOld();
    return this.#uncertain.get(keyOf(key)) !== undefined;
  }

  #hasComePast(resourceVersion: string): boolean {
    const order = compareResourceVersions(this.#reached, resourceVersion);
    return order !== undefined && order >= 0;
  }

  #forgetOld(): void {
    this.#uncertain.dropExpired();
    const now = this.#time.ms;
    for (const [uid, { untilMs }] of this.#deleted) {
      if (untilMs > now) break;
      this.#deleted.delete(uid);
    }
    for (const [id, { untilMs }] of this.#writes.all()) {
      if (untilMs > now) break;
      this.#writes.delete(id);
    }
  }

  #noted(): Noted {
    return { atMs: this.#clock.monotonic(), untilMs: this.#time.ms + patienceMs };
  }
}

/** The times at which an entry was recorded and expires, on a clock that runs only while a watch is open. */
interface Noted {
  readonly atMs: number;
  readonly untilMs: number;
}

function keyOf(key: ObjectKey): string {
  return `${key.namespace ?? ''}/${key.name}`;
}
