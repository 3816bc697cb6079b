import type { KubernetesObject } from '@kubewright/apimachinery';
import { WrittenObject } from './written-object.ts';

const maxObjects = 8;
const maxVersions = 32;
/** Minimum interval between reports of the same finding, in milliseconds. */
const reportIntervalMs = 600_000;
const noVersions: ReadonlySet<string> = new Set();

/** The UID and version of an object, as shown by an event. */
export interface ShownVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

/**
 * Tracks the writes of one key for the detector. Histories are nearly always empty, so their parts are created on demand.
 */
export class WriteHistory {
  /** Versions written by the key's reconciles, oldest first. */
  #versions: Set<string> | undefined;
  #objects: Map<string, WrittenObject> | undefined;
  #reported: Map<string, number> | undefined;
  /**
   * Versions of the objects whose events triggered the next reconcile. They are compared with the key's own writes only when that
   * reconcile starts, because an event may arrive before the response to the write.
   */
  #triggeredBy: Set<string> | undefined;
  /**
   * True if anything other than the tracked events triggered the next reconcile: a timer, another source, or too many
   * events to track.
   */
  #foreign = false;

  /** Records what requested the next reconcile: an object's event, or another source. */
  requested(by: ShownVersion | undefined): void {
    this.#triggeredBy ??= new Set();
    if (by === undefined || this.#triggeredBy.size >= maxVersions) this.#foreign = true;
    else this.#triggeredBy.add(versionName(by));
  }

  /** Starts a reconcile; returns true if only the key's own writes triggered the reconcile. */
  begin(): boolean {
    const versions = this.#versions;
    const triggeredBy = this.#triggeredBy ?? noVersions;
    const isOwn = !this.#foreign && triggeredBy.size > 0 && [...triggeredBy].every((each) => versions?.has(each));
    if (!isOwn) for (const each of this.#objects?.values() ?? []) each.resetSelfTriggered();
    this.#triggeredBy = undefined;
    this.#foreign = false;
    return isOwn;
  }

  /** Records a version that the key's reconcile has written. */
  wrote(version: KubernetesObject['metadata']): void {
    this.#versions ??= new Set();
    remember(this.#versions, versionName(version));
  }

  /** Returns the record of a written object, or undefined. */
  remembered(id: string): WrittenObject | undefined {
    return this.#objects?.get(id);
  }

  /** Returns the record of a written object; drops the least recently written object if there are too many. */
  object(id: string): WrittenObject {
    this.#objects ??= new Map();
    const object = this.#objects.get(id) ?? new WrittenObject();
    this.#objects.delete(id);
    this.#objects.set(id, object);
    if (this.#objects.size > maxObjects) this.#objects.delete(this.#objects.keys().next().value ?? '');
    return object;
  }

  /** Records a report; returns false if the same pattern was reported recently. */
  noteReport(pattern: string, nowMs: number): boolean {
    this.#reported ??= new Map();
    if (nowMs - (this.#reported.get(pattern) ?? Number.NEGATIVE_INFINITY) < reportIntervalMs) return false;
    this.#reported.set(pattern, nowMs);
    if (this.#reported.size > maxObjects) this.#reported.delete(this.#reported.keys().next().value ?? '');
    return true;
  }
}

/** Returns an id for a version of an object, as in events and responses. */
function versionName({ uid, resourceVersion }: KubernetesObject['metadata']): string {
  return `${uid}/${resourceVersion}`;
}

function remember(versions: Set<string>, version: string): void {
  versions.add(version);
  if (versions.size > maxVersions) versions.delete(versions.values().next().value ?? '');
}
