import { type Clock, compareResourceVersions, type KubernetesObject, type ObjectKey } from '@kubewright/apimachinery';
import { DecodedView } from './decoded-view.ts';

interface Written<T> {
  /** What the server answered; undefined for an object that this process deleted. */
  readonly view: DecodedView<T> | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly untilMs: number;
}

/** How long a write that the watch never shows hides what the watch does show, in milliseconds. */
const patienceMs = 30_000;

/**
 * What this process wrote and its watch has not shown yet, so that reads after a write never answer an older version.
 *
 * A write that will never be seen (outside the cache's selector, overtaken by another) is forgotten after a deadline.
 */
export class OwnWrites<T> {
  readonly #clock: Clock;
  readonly #writes = new Map<string, Written<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#writes.size;
  }

  /** Notes an object as the server answered it after a write, unless the store shows this version or a later one. */
  wrote(object: KubernetesObject, stored: StoredVersion | undefined): void {
    const { uid = '', resourceVersion = '' } = object.metadata;
    if (stored && reached(stored, { uid, resourceVersion })) return;
    // The client made the object for this call alone; the answer is typed by the kind it was asked of.
    const view = new DecodedView<T>(object as KubernetesObject & T);
    this.#writes.set(keyOf(view.key), { view, uid, resourceVersion, untilMs: this.#until() });
  }

  /** Notes that the object of that uid is deleted and gone. */
  deleted(key: ObjectKey, uid: string): void {
    this.#writes.set(keyOf(key), { view: undefined, uid, resourceVersion: '', untilMs: this.#until() });
  }

  /** Tells what the watch showed: a version (or a deletion, `undefined`) of the key. */
  seen(key: ObjectKey, stored: StoredVersion | undefined, removed?: StoredVersion): void {
    if (this.#writes.size === 0) return;
    const written = this.#writes.get(keyOf(key));
    if (!written) return;
    const done = stored
      ? reached(stored, written)
      : removed !== undefined && (written.view === undefined || reached(removed, written));
    if (done) this.#writes.delete(keyOf(key));
  }

  /** Answers the newer of the stored entry and what was written: the stored one, another, or `undefined` for none. */
  newest<E extends StoredVersion>(key: ObjectKey, stored: E | undefined): E | DecodedView<T> | undefined {
    if (this.#writes.size === 0) return stored;
    const written = this.#live(keyOf(key));
    if (!written) return stored;
    if (stored && reached(stored, written)) return stored;
    return written.view;
  }

  /** What was written and may be missing from a list of the stored entries. */
  *pending(): Generator<DecodedView<T>, undefined> {
    for (const key of [...this.#writes.keys()]) {
      const written = this.#live(key);
      if (written?.view) yield written.view;
    }
    return undefined;
  }

  #live(key: string): Written<T> | undefined {
    const written = this.#writes.get(key);
    if (written && written.untilMs <= this.#clock.monotonic()) {
      this.#writes.delete(key);
      return undefined;
    }
    return written;
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
  // A deletion: whatever is stored under another uid came after it.
  if (written.resourceVersion === '') return stored.uid !== written.uid;
  const order = compareResourceVersions(stored.resourceVersion, written.resourceVersion);
  return order === undefined || order >= 0;
}

function keyOf(key: ObjectKey): string {
  return `${key.namespace ?? ''}/${key.name}`;
}
