import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import type { StoredObject } from '../storage/storage.ts';
import type { WatchItem } from '../watch/index.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

const decoder = new TextDecoder();
const COMMA = 0x2c;
const OPEN = 0x7b;

/**
 * Presents stored objects in the version in which a resource is served. Mostly that is the stored bytes themselves: an object is
 * decoded only when its fields are needed, and re-encoded only when versions differ or a custom resource's defaults are missing.
 * Results are cached as long as the stored bytes are in memory.
 */
export class ServedForm {
  readonly definition: ResourceDefinition;
  readonly apiVersion: string;
  /** `{"kind":"Pod","apiVersion":"v1",`: the start of stored bytes. */
  readonly #storedHead: Buffer;
  readonly #servedHead: Buffer;
  readonly #rewrites: boolean;
  readonly #objects = new WeakMap<Uint8Array, KubernetesObject>();
  readonly #bytes = new WeakMap<Uint8Array, Uint8Array>();

  constructor(definition: ResourceDefinition) {
    this.definition = definition;
    this.apiVersion = apiVersionOf(definition);
    this.#storedHead = Buffer.from(headOf(definition.kind, definition.storageApiVersion));
    this.#servedHead = Buffer.from(headOf(definition.kind, this.apiVersion));
    this.#rewrites =
      definition.conversion !== undefined ||
      definition.fromStored !== undefined ||
      (definition.custom && definition.strategy.applyDefaults !== undefined);
  }

  /** Returns the decoded object. Shared: must never be modified. */
  object(stored: StoredObject): KubernetesObject {
    let object = this.#objects.get(stored.bytes);
    if (object === undefined) {
      object = this.draft(stored) as unknown as KubernetesObject;
      this.#objects.set(stored.bytes, object);
    }
    return object;
  }

  /** Wraps a watch item as a stored object. */
  item({ key, bytes }: WatchItem): StoredObject {
    return { key, bytes, revision: 0 };
  }

  /**
   * Encodes a draft to be stored at a revision, and caches it as the decoded object, because watches need it before the writer
   * continues. The draft must not be modified afterwards.
   */
  encode(draft: Draft, revision: number): Uint8Array {
    const bytes = encodeStored(draft, String(revision));
    if (!this.#rewrites && draft.apiVersion === this.apiVersion) {
      this.#objects.set(bytes, draft as unknown as KubernetesObject); // complete once it has its revision
    }
    return bytes;
  }

  /** Returns a newly decoded object that the caller may modify. */
  draft(stored: StoredObject): Draft {
    // The server stores only objects with type and metadata.
    const raw = JSON.parse(decoder.decode(stored.bytes)) as Draft;
    const { conversion, custom, strategy, fromStored } = this.definition;
    const draft = conversion ? (conversion.fromStorage(raw as unknown as KubernetesObject) as unknown as Draft) : raw;
    if (draft.apiVersion !== this.apiVersion) draft.apiVersion = this.apiVersion;
    if (fromStored) return fromStored(draft);
    if (custom) strategy.applyDefaults?.(draft);
    return draft;
  }

  /** Returns the object's JSON. */
  bytes(stored: StoredObject): Uint8Array {
    if (this.#rewrites) return this.#rewritten(stored);
    if (this.#storedHead.length === this.#servedHead.length && this.#storedHead.equals(this.#servedHead)) {
      return stored.bytes;
    }
    if (!this.#hasHead(stored.bytes)) return this.#rewritten(stored);
    return Buffer.concat([this.#servedHead, stored.bytes.subarray(this.#storedHead.length)]);
  }

  /**
   * Returns the offset in {@link bytes} where a list element begins: items of built-in lists have no kind and apiVersion. The
   * caller overwrites the first byte with the opening brace.
   */
  itemStart(bytes: Uint8Array): number {
    if (this.definition.custom || !this.#startsWithServedHead(bytes)) return 0;
    return this.#servedHead.length - 1;
  }

  /** Writes an item at `offset` of `target`. Returns the end offset. */
  writeItem(target: Buffer, offset: number, bytes: Uint8Array): number {
    const start = this.itemStart(bytes);
    target.set(start === 0 ? bytes : bytes.subarray(start), offset);
    if (start > 0) target[offset] = OPEN;
    return offset + bytes.length - start;
  }

  #rewritten(stored: StoredObject): Uint8Array {
    let bytes = this.#bytes.get(stored.bytes);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(this.object(stored)));
      this.#bytes.set(stored.bytes, bytes);
    }
    return bytes;
  }

  #hasHead(bytes: Uint8Array): boolean {
    return startsWith(bytes, this.#storedHead);
  }

  #startsWithServedHead(bytes: Uint8Array): boolean {
    return startsWith(bytes, this.#servedHead);
  }
}

function headOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

function startsWith(bytes: Uint8Array, head: Buffer): boolean {
  if (bytes.length < head.length || bytes[head.length - 1] !== COMMA) return false;
  for (let i = 0; i < head.length; i++) if (bytes[i] !== head[i]) return false;
  return true;
}

/**
 * Converts a draft to the storage version and canonical order: kind, apiVersion, metadata, then the other fields in their given
 * order. Metadata fields are in the API's order.
 */
export function toStorageForm(draft: Draft, definition: ResourceDefinition): Draft {
  const converted = definition.conversion ? definition.conversion.toStorage(draft) : draft;
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = converted;
  return {
    kind: definition.kind,
    apiVersion: definition.storageApiVersion,
    metadata: orderMetadata(metadata),
    ...rest,
  };
}

/** Rebuilds metadata in the API's order; `resourceVersion` gets a slot that {@link encodeStored} fills. */
function orderMetadata(metadata: Draft['metadata']): Draft['metadata'] {
  const { name, generateName, namespace, uid, generation, creationTimestamp, deletionTimestamp, ...others } = metadata;
  const { deletionGracePeriodSeconds, labels, annotations, ownerReferences, finalizers, managedFields, ...rest } =
    others;
  const ordered: Draft['metadata'] = {};
  if (name !== undefined) ordered.name = name;
  if (generateName) ordered.generateName = generateName;
  if (namespace) ordered.namespace = namespace;
  if (uid !== undefined) ordered.uid = uid;
  ordered.resourceVersion = '';
  if (generation) ordered.generation = generation;
  ordered.creationTimestamp = creationTimestamp ?? null;
  if (deletionTimestamp != null) ordered.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds != null) ordered.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
  if (hasEntries(labels)) ordered.labels = labels;
  if (hasEntries(annotations)) ordered.annotations = annotations;
  if (Array.isArray(ownerReferences) && ownerReferences.length > 0) ordered['ownerReferences'] = ownerReferences;
  if (finalizers != null && finalizers.length > 0) ordered.finalizers = finalizers;
  if (Array.isArray(managedFields) && managedFields.length > 0) ordered['managedFields'] = managedFields;
  delete rest.resourceVersion;
  delete rest['selfLink'];
  for (const _ in rest) return { ...ordered, ...rest }; // rare: an unknown field
  return ordered;
}

function hasEntries<T extends object>(map: T | undefined): map is T {
  if (map === undefined || map === null) return false;
  for (const _ in map) return true;
  return false;
}

/** Encodes a draft in storage form with its resourceVersion. */
export function encodeStored(draft: Draft, resourceVersion: string): Uint8Array {
  if (resourceVersion === '') delete draft.metadata.resourceVersion;
  else draft.metadata.resourceVersion = resourceVersion;
  return Buffer.from(JSON.stringify(draft));
}
