import type { KubernetesObject, ObjectKey, OwnerReference, Stored } from '@kubewright/apimachinery';
import { deepFreeze, parseExactJson } from '@kubewright/apimachinery/internal';
import type { ObjectView } from '../handler/object-view.ts';
import { MalformedJsonError, readString, skipValue } from '../scan/json-bytes.ts';
import type { MetadataScan } from '../scan/metadata-scan.ts';
import type { Decoded, DecodedObjects } from './decoded-objects.ts';
import type { Slab } from './slab.ts';

const noRecord: Readonly<Record<string, string>> = Object.freeze({});
const noOwners: readonly OwnerReference[] = Object.freeze([]);

/** The epoch of discarded entries; no list uses it. */
const discardedEpoch = -1;

/** Context shared by all entries of a store. */
export interface EntryContext {
  readonly apiVersion: string;
  readonly kind: string;
  readonly decoded: DecodedObjects;
  /** True if the bytes name a different type than the object should have. */
  readonly retyped: boolean;
}

/**
 * One version of a cached object: its identity as strings, everything else as positions in its bytes. Every field counts because
 * there is one entry per object. Positions are relative to the object's first byte; 0 means missing.
 */
export class StoreEntry<T> implements ObjectView<T> {
  readonly context: EntryContext;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  slab: Slab;
  offset: number;
  readonly length: number;
  /** The epoch of the last full list that contained this object. */
  epoch = 0;
  /** Set by {@link DecodedObjects}. */
  decoded: Decoded | null | undefined = undefined;
  readonly #labelsAt: number;
  readonly #annotationsAt: number;
  readonly #ownersAt: number;
  readonly #deletionAt: number;
  readonly #managedAt: number;

  constructor(context: EntryContext, init: EntryInit) {
    const { scan, shift } = init;
    this.context = context;
    this.namespace = init.namespace;
    this.name = init.name;
    this.uid = init.uid;
    this.resourceVersion = init.resourceVersion;
    this.generation = init.generation;
    this.slab = init.slab;
    this.offset = init.offset;
    this.length = init.length;
    // Cutting bytes out of managedFields shifts all later positions.
    const moved = (at: number): number => (at > scan.managedAt && scan.managedAt > 0 ? at - shift : at);
    this.#labelsAt = moved(scan.labelsAt);
    this.#annotationsAt = moved(scan.annotationsAt);
    this.#ownersAt = moved(scan.ownersAt);
    this.#deletionAt = moved(scan.deletionAt);
    this.#managedAt = scan.managedAt;
  }

  get key(): ObjectKey {
    return this.namespace === '' ? { name: this.name } : { namespace: this.namespace, name: this.name };
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#labelsAt === 0 ? noRecord : (this.#parse(this.#labelsAt) as Readonly<Record<string, string>>);
  }

  get annotations(): Readonly<Record<string, string>> {
    return this.#annotationsAt === 0
      ? noRecord
      : (this.#parse(this.#annotationsAt) as Readonly<Record<string, string>>);
  }

  get ownerReferences(): readonly OwnerReference[] {
    return this.#ownersAt === 0 ? noOwners : (this.#parse(this.#ownersAt) as readonly OwnerReference[]);
  }

  get deletionTimestamp(): string | undefined {
    if (this.#deletionAt === 0) return undefined;
    const at = this.offset + this.#deletionAt;
    return readString(this.slab.bytes, at, skipValue(this.slab.bytes, at, this.offset + this.length));
  }

  /** True if the object has managedFields, of which the store keeps only the entries of its configured managers. */
  get hasManagedFields(): boolean {
    return this.#managedAt !== 0;
  }

  /** True if the store has replaced or removed this version. */
  get isDiscarded(): boolean {
    return this.epoch === discardedEpoch;
  }

  /** Called by the store when it drops this version. */
  discard(): void {
    this.epoch = discardedEpoch;
    this.context.decoded.discard(this);
  }

  get object(): Stored<T> {
    const { decoded, apiVersion, kind, retyped } = this.context;
    const kept = decoded.get(this);
    if (kept !== undefined) return kept as Stored<T>;
    const parsed: object = this.#decode();
    // Items of built-in lists carry no apiVersion or kind.
    const typed = { apiVersion, kind };
    const object = deepFreeze(
      retyped ? { ...parsed, ...typed } : 'apiVersion' in parsed ? parsed : Object.assign(typed, parsed),
    );
    decoded.set(this, object, this.length);
    return object as unknown as Stored<T>; // The cast is safe: the object comes from the server.
  }

  #decode(): KubernetesObject {
    const text = this.slab.bytes.toString('utf8', this.offset, this.offset + this.length);
    try {
      return parseExactJson(text) as KubernetesObject;
    } catch (cause) {
      throw new MalformedJsonError(`${this.context.kind} ${this.namespace}/${this.name}`, { cause });
    }
  }

  #parse(at: number): unknown {
    const { bytes } = this.slab;
    const start = this.offset + at;
    return deepFreeze(JSON.parse(bytes.toString('utf8', start, skipValue(bytes, start, this.offset + this.length))));
  }
}

/** Arguments of a new entry. */
export interface EntryInit {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly slab: Slab;
  readonly offset: number;
  readonly length: number;
  readonly scan: MetadataScan;
  /** Number of bytes by which everything after managedFields moves toward the start. */
  readonly shift: number;
}
