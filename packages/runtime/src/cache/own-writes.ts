import { type Clock, compareResourceVersions, type KubernetesObject, type ObjectKey } from '@kubewright/apimachinery';
import type { ObjectView } from '../handler/object-view.ts';
import { PendingWrites } from './pending-writes.ts';
import { Removals } from './removals.ts';
import { writtenView } from './written-view.ts';

/**
 * How long a deletion or a write that the watch need not show is remembered, in milliseconds during which a watch was open.
 * What the watch must show is forgotten when it has come past it, or when a listing did not have it.
 */
const patienceMs = 600_000;
/**
 * How long an object whose state is not known is read live, in milliseconds during which a watch was open; none lags longer
 * unnoticed.
 */
const uncertainMs = 150_000;
/** Most entries of each sort that nothing but time would end. */
const maxEntries = 10_000;

/**
 * What this process wrote and its watch has not shown yet, so that reads after a write never answer an older version.
 *
 * A watch shows changes in the order of their versions: once it has come as far as a write, whatever it says of that key is
 * newer, also when it says nothing because the object is gone or outside its selector.
 *
 * Bounded: the content of the latest 10,000 writes is kept; objects written before those are read live until the watch has
 * come past them, up to 100,000 writes. Of objects outside the selector, of deletions, and of objects whose state is not
 * known, the latest 10,000 are remembered.
 */
export class OwnWrites<T> {
  readonly #clock: Clock;
  readonly #isWhole: boolean;
  readonly #writes = new PendingWrites<T>();
  /** By uid: one name may have had several objects, each of them deleted. */
  readonly #deleted = new Map<string, Noted & { readonly key: string }>();
  readonly #uncertain = new Map<string, Uncertainty>();
  #marks = 0;
  /** What was written outside the scope last, until the watch shows that it came back or the server that it is gone. */
  readonly #outside = new Map<string, StoredVersion>();
  readonly #removed = new Removals();
  #reached = '';
  /** Time during which a watch was open, without the present one. */
  #watchedMs = 0;
  #openedMs: number | undefined;

  /** @param options - `isWhole`: whether what the watch shows as removed is deleted, and not merely outside a selector. */
  constructor(clock: Clock, options: { readonly isWhole?: boolean } = {}) {
    this.#clock = clock;
    this.#isWhole = options.isWhole ?? true;
  }

  get size(): number {
    return this.#writes.size + this.#deleted.size;
  }

  /** True while there is anything that {@link seen} is to be told for; what the watch shows may be kept from it else. */
  get isExpecting(): boolean {
    return this.size > 0 || this.#outside.size > 0 || this.#uncertain.size > 0;
  }

  /** Tells that a watch was opened, or is over: while there is none, nothing is forgotten for its age. */
  watching(isOpen: boolean): void {
    this.#watchedMs = this.#watched();
    this.#openedMs = isOpen ? this.#clock.monotonic() : undefined;
  }

  /** Notes that a deletion is about to be sent; to be disposed when its answer was noted. */
  deleting(): Disposable {
    return this.#removed.deleting();
  }

  /** Notes an object as the server answered it after a write or to a live read, unless the watch has come that far. */
  wrote(
    object: KubernetesObject,
    what: { readonly stored: StoredVersion | undefined; readonly inScope: boolean },
  ): void {
    const { uid = '', resourceVersion = '', name = '', namespace } = object.metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    const id = keyOf(key);
    this.#forgetOld();
    // Versions without an order: which state is newer only the server can tell.
    if (compareResourceVersions(resourceVersion, resourceVersion) === undefined) {
      this.uncertain(key);
      return;
    }
    const written = { uid, resourceVersion };
    if (what.stored && reached(what.stored, written)) return;
    // An answer that comes after that of its deletion.
    const removed = this.#removed.get(uid);
    if (this.#deleted.has(uid) || (removed && reached(removed, written))) return;
    const newer = this.#writes.get(id);
    // The same version is noted anew: after a restore it may be of another write, which no listing can have shown yet.
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

  /** Notes that the object of that uid is deleted and gone. */
  deleted(key: ObjectKey, what: { readonly uid: string; readonly stored: StoredVersion | undefined }): void {
    const { uid, stored } = what;
    this.#forgetOld();
    const id = keyOf(key);
    this.#outside.delete(id);
    const written = this.#writes.get(id);
    if (uid === '' || (this.#isWhole && this.#removed.get(uid))) return;
    // Earlier objects of that name, which the watch may yet show, are older than what was deleted; of an object that was
    // never seen here nobody can tell which are.
    if (written?.uid === uid) this.#writes.set(id, written, undefined);
    else if (stored?.uid !== uid) this.uncertain(key);
    remember(this.#deleted, uid, { key: id, ...this.#noted() });
  }

  /** Notes that something was done to an object, and that the answer did not say what came of it. */
  uncertain(key: ObjectKey): void {
    this.#doubt({ key });
  }

  /**
   * Notes that this version of an object was to be deleted, and that the answer did not say what came of it. The watch
   * settles it: by the removal, by a successor, or by a version that is being deleted.
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

  #doubt(what: Pick<Uncertainty, 'key' | 'deletionOf'>): void {
    this.#forgetOld();
    remember(this.#uncertain, keyOf(what.key), {
      ...what,
      mark: ++this.#marks,
      untilMs: this.#watched() + uncertainMs,
    });
  }

  /** Names the present uncertainty about an object; undefined when there is none. */
  uncertainty(key: ObjectKey): number | undefined {
    return this.#uncertain.get(keyOf(key))?.mark;
  }

  /** Notes that the server was asked since; what became uncertain after the question stays so. */
  settled(key: ObjectKey, mark: number | undefined): void {
    if (mark !== undefined && this.uncertainty(key) === mark) this.#uncertain.delete(keyOf(key));
  }

  /** Tells what the watch showed: a version of the key, or its deletion with the last version. */
  seen(key: ObjectKey, what: { readonly stored: StoredVersion } | { readonly removed: StoredVersion }): void {
    const removed = 'removed' in what;
    const version = removed ? what.removed : what.stored;
    if (removed) this.#removed.removed(version);
    if (!this.isExpecting) return;
    const id = keyOf(key);
    const outside = removed ? undefined : this.#outside.get(id);
    // What the watch shows at or after the write that took it out is in the scope again.
    if (outside && reached(version, outside)) this.#outside.delete(id);
    const written = this.#writes.get(id);
    if (written && reached(version, written)) this.#writes.delete(id);
    if (removed && this.#isWhole) this.#deleted.delete(version.uid);
    const deletionOf = this.#uncertain.get(id)?.deletionOf;
    if (!deletionOf) return;
    const settles = removed ? this.#isWhole && version.uid === deletionOf.uid : isDeletionOf(deletionOf, version);
    if (settles) this.#uncertain.delete(id);
  }

  /** Tells that the watch has shown everything up to this version; `restarted` that it counts anew. */
  caughtUp(resourceVersion: string, restarted = false): void {
    this.#reached = resourceVersion;
    // What was written, and what was deleted, in a history that is no more.
    if (restarted) for (const each of [this.#writes, this.#deleted, this.#outside, this.#removed]) each.clear();
    this.#writes.drop((version) => this.#hasComePast(version));
  }

  /** Tells that a listing of the newest state, begun at that time or later, did not show what is still remembered. */
  lost(beforeMs: number): void {
    for (const [id, { atMs }] of this.#writes.all()) if (atMs < beforeMs) this.#writes.delete(id);
    for (const [id, { atMs }] of this.#deleted) if (atMs < beforeMs) this.#deleted.delete(id);
  }

  /** Answers the newer of the stored entry and what was written: the stored one, another, or `undefined` for none. */
  newest<E extends StoredVersion>(key: ObjectKey, stored: E | undefined): E | ObjectView<T> | undefined {
    if (this.size === 0) return stored;
    const present = stored && this.#deleted.has(stored.uid) ? undefined : stored;
    const id = keyOf(key);
    const written = this.#writes.get(id);
    if (!written || (stored && reached(stored, written))) return present;
    return this.#writes.isReleased(id) ? present : this.#writes.view(id);
  }

  /** What was written and may be missing from a list of the stored entries. */
  pending(): Iterable<ObjectView<T>> {
    return this.#writes.views();
  }

  /** The newest version that was written and that the watch is yet to show: one of an object in its scope. */
  get awaited(): string | undefined {
    return this.#writes.newestInScope;
  }

  /** True for an object that this process wrote outside the cache's scope: to read it here would be to miss it. */
  isOutside(key: ObjectKey): boolean {
    return this.#outside.has(keyOf(key));
  }

  /** The version that was written outside the scope; undefined when there is none. */
  outsideVersion(key: ObjectKey): StoredVersion | undefined {
    return this.#outside.get(keyOf(key));
  }

  /** Notes that the server, asked since, has no object of that key; one written outside the scope after that stays so. */
  absent(key: ObjectKey, outside: StoredVersion | undefined): void {
    if (outside && this.outsideVersion(key) === outside) this.#outside.delete(keyOf(key));
  }

  /** Objects of whose present state only the server can tell. */
  uncertainKeys(namespace: string | undefined): readonly ObjectKey[] {
    const released = this.#writes.released();
    if (this.#uncertain.size === 0 && released.length === 0) return [];
    this.#forgetOld();
    const keys = [...[...this.#uncertain.values()].map((each) => each.key), ...released];
    return namespace === undefined ? keys : keys.filter((key) => key.namespace === namespace);
  }

  isUncertain(key: ObjectKey): boolean {
    if (this.#writes.isReleased(keyOf(key))) return true;
    if (this.#uncertain.size === 0) return false;
    this.#forgetOld();
    return this.#uncertain.has(keyOf(key));
  }

  #hasComePast(resourceVersion: string): boolean {
    const order = compareResourceVersions(this.#reached, resourceVersion);
    return order !== undefined && order >= 0;
  }

  #forgetOld(): void {
    const now = this.#watched();
    for (const entries of [this.#deleted, this.#uncertain]) {
      for (const [id, { untilMs }] of entries) {
        if (untilMs > now) break;
        entries.delete(id);
      }
    }
    for (const [id, { untilMs }] of this.#writes.all()) {
      if (untilMs > now) break;
      this.#writes.delete(id);
    }
  }

  #noted(): Noted {
    return { atMs: this.#clock.monotonic(), untilMs: this.#watched() + patienceMs };
  }

  #watched(): number {
    return this.#watchedMs + (this.#openedMs === undefined ? 0 : this.#clock.monotonic() - this.#openedMs);
  }
}

/** When something was noted, and when time ends it, by the time during which a watch was open. */
interface Noted {
  readonly atMs: number;
  readonly untilMs: number;
}

/** Enough of an object to compare it with a write. */
export interface StoredVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string | undefined;
}

/** An object of whose state only the server can tell. */
interface Uncertainty {
  readonly key: ObjectKey;
  readonly mark: number;
  readonly untilMs: number;
  /** The version that was to be deleted, if that is what is not known. */
  readonly deletionOf?: StoredVersion;
}

/** True if a version that the watch showed tells what became of the deletion of another. */
function isDeletionOf(version: StoredVersion, shown: StoredVersion): boolean {
  if (!reached(shown, version)) return false;
  return shown.uid !== version.uid || shown.deletionTimestamp !== undefined;
}

/** True if `stored` is at least as new as what was written. Incomparable versions count as newer: the watch is trusted. */
function reached(stored: StoredVersion, written: StoredVersion): boolean {
  const order = compareResourceVersions(stored.resourceVersion, written.resourceVersion);
  return order === undefined || order >= 0;
}

function keyOf(key: ObjectKey): string {
  return `${key.namespace ?? ''}/${key.name}`;
}

/** Puts an entry last and lets the oldest go when there are too many. */
function remember<V>(entries: Map<string, V>, id: string, value: V): void {
  entries.delete(id);
  entries.set(id, value);
  if (entries.size <= maxEntries) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
