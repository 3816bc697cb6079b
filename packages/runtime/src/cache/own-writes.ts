import { type Clock, compareResourceVersions, type KubernetesObject, type ObjectKey } from '@kubewright/apimachinery';
import { DecodedView } from './decoded-view.ts';

interface Written<T> {
  /** What the server answered. */
  readonly view: DecodedView<T>;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly untilMs: number;
}

interface Deleted {
  readonly uid: string;
  readonly untilMs: number;
}

/**
 * How long a write is remembered whose version the watch never reaches, in milliseconds. Only for versions that cannot be
 * compared and watches that are down for very long; all others are let go as soon as the watch has come past them.
 */
const patienceMs = 600_000;

/**
 * What this process wrote and its watch has not shown yet, so that reads after a write never answer an older version.
 *
 * A watch shows changes in the order of their versions: once it has come as far as a write, whatever it says of that key is
 * newer, also when it says nothing because the object is gone or outside its selector.
 */
export class OwnWrites<T> {
  readonly #clock: Clock;
  /** In order of the calls; so roughly in that of the versions. */
  readonly #writes = new Map<string, Written<T>>();
  readonly #deleted = new Map<string, Deleted>();
  #reached = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#writes.size + this.#deleted.size;
  }

  /** Notes an object as the server answered it after a write, unless the watch has come that far. */
  wrote(object: KubernetesObject, stored: StoredVersion | undefined): void {
    this.#forgetOld();
    const { uid = '', resourceVersion = '' } = object.metadata;
    const written = { uid, resourceVersion };
    if ((stored && reached(stored, written)) || this.#hasComePast(resourceVersion)) return;
    // The client made the object for this call alone; the answer is typed by the kind it was asked of.
    const view = new DecodedView<T>(object as KubernetesObject & T);
    const key = keyOf(view.key);
    // An answer that comes after that of its deletion.
    if (this.#deleted.get(key)?.uid === uid) return;
    const newer = this.#writes.get(key);
    if (newer?.uid === uid && reached(newer, written)) return;
    this.#writes.delete(key);
    this.#writes.set(key, { view, uid, resourceVersion, untilMs: this.#until() });
  }

  /** Notes that the object of that uid is deleted and gone, if it would still be read here. */
  deleted(key: ObjectKey, what: { readonly uid: string; readonly stored: StoredVersion | undefined }): void {
    this.#forgetOld();
    const { uid, stored } = what;
    const id = keyOf(key);
    const wasWritten = this.#writes.get(id)?.uid === uid && this.#writes.delete(id);
    if (!wasWritten && stored?.uid !== uid) return;
    this.#deleted.delete(id);
    this.#deleted.set(id, { uid, untilMs: this.#until() });
  }

  /** Tells what the watch showed: a version of the key, or its deletion with the last version. */
  seen(key: ObjectKey, what: { readonly stored: StoredVersion } | { readonly removed: StoredVersion }): void {
    if (this.size === 0) return;
    const id = keyOf(key);
    const version = 'stored' in what ? what.stored : what.removed;
    const written = this.#writes.get(id);
    if (written && reached(version, written)) this.#writes.delete(id);
    const deleted = this.#deleted.get(id);
    if (deleted && ('removed' in what || version.uid !== deleted.uid)) this.#deleted.delete(id);
  }

  /** Tells that the watch has shown everything up to this version. */
  caughtUp(resourceVersion: string): void {
    this.#reached = resourceVersion;
    for (const [id, written] of this.#writes) {
      if (!this.#hasComePast(written.resourceVersion)) return;
      this.#writes.delete(id);
    }
  }

  /** Answers the newer of the stored entry and what was written: the stored one, another, or `undefined` for none. */
  newest<E extends StoredVersion>(key: ObjectKey, stored: E | undefined): E | DecodedView<T> | undefined {
    if (this.size === 0) return stored;
    const id = keyOf(key);
    const present = stored && stored.uid === this.#deleted.get(id)?.uid ? undefined : stored;
    const written = this.#writes.get(id);
    return written && !(present && reached(present, written)) ? written.view : present;
  }

  /** What was written and may be missing from a list of the stored entries. */
  *pending(): Generator<DecodedView<T>, undefined> {
    for (const written of this.#writes.values()) yield written.view;
    return undefined;
  }

  #hasComePast(resourceVersion: string): boolean {
    const order = compareResourceVersions(this.#reached, resourceVersion);
    return order !== undefined && order >= 0;
  }

  #forgetOld(): void {
    const now = this.#clock.monotonic();
    for (const entries of [this.#writes, this.#deleted]) {
      for (const [id, { untilMs }] of entries) {
        if (untilMs > now) break;
        entries.delete(id);
      }
    }
  }

  #until(): number {
    return this.#clock.monotonic() + patienceMs;
  }
}

/** Enough of an object to compare it with a write. */
export interface StoredVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** True if `stored` is at least as new as what was written. Incomparable versions count as newer: the watch is trusted. */
function reached(stored: StoredVersion, written: StoredVersion): boolean {
  const order = compareResourceVersions(stored.resourceVersion, written.resourceVersion);
  return order === undefined || order >= 0;
}

function keyOf(key: ObjectKey): string {
  return `${key.namespace ?? ''}/${key.name}`;
}
