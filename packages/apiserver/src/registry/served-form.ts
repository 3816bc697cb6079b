import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import { parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { revisionedLength, type StoredObject, withRevision, writeRevisioned } from '../storage/index.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

const decoder = new TextDecoder();
const comma = 0x2c;
const open = 0x7b;

/**
 * Presents stored objects in a resource's served version, with their resourceVersion. Usually this only copies the stored bytes:
 * an object is decoded only when its fields are needed, and re-encoded only when the versions differ or a custom resource lacks
 * defaults. Decoded and re-encoded objects are cached as long as the stored bytes are in memory. Bytes that include the
 * resourceVersion are not cached: that would double the memory, and writing a response copies the bytes anyway.
 */
export class ServedForm {
  readonly definition: ResourceDefinition;
  readonly apiVersion: string;
  /** `{"kind":"Pod","apiVersion":"v1",`: the start of stored bytes. */
  readonly #storedHead: Buffer;
  readonly #servedHead: Buffer;
  readonly #rewrites: boolean;
  readonly #objects = new WeakMap<Uint8Array, KubernetesObject>();
  /** Re-encoded bytes, without the resourceVersion. */
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
    const object = this.#objects.get(stored.bytes);
    if (object === undefined) {
      const decoded = this.draft(stored) as unknown as KubernetesObject;
      this.#objects.set(stored.bytes, decoded);
      return decoded;
    }
    const { metadata } = object as unknown as Draft;
    const resourceVersion = versionOf(stored);
    // An object cached by `encode` gets its resourceVersion when it is first read.
    if (resourceVersion !== undefined) metadata.resourceVersion ??= resourceVersion;
    if (metadata.resourceVersion === resourceVersion) return object;
    // A deleted object has its last content but the revision of its deletion.
    return { ...object, metadata: { ...object.metadata, ...(resourceVersion && { resourceVersion }) } };
  }

  /**
   * Encodes a draft for storage and caches it as the decoded object, because watches need the decoded object as soon as
   * the commit is visible. The draft must not be modified afterwards.
   */
  encode(draft: Draft): Uint8Array {
    const bytes = encodeStored(draft);
    if (!this.#rewrites && draft.apiVersion === this.apiVersion) {
      this.#objects.set(bytes, draft as unknown as KubernetesObject); // complete once it has its revision
    }
    return bytes;
  }

  /** Returns a newly decoded object that the caller may modify. */
  draft(stored: StoredObject): Draft {
    const raw = this.stored(stored);
    const { conversion, custom, strategy, fromStored } = this.definition;
    const draft = conversion ? (conversion.fromStorage(raw as unknown as KubernetesObject) as unknown as Draft) : raw;
    if (draft.apiVersion !== this.apiVersion) draft.apiVersion = this.apiVersion;
    if (fromStored) return fromStored(draft);
    if (custom) strategy.applyDefaults?.(draft);
    return draft;
  }

  /** Decodes an object in its stored form: without conversion, and without defaults that are not stored. */
  stored(stored: StoredObject): Draft {
    // The cast is safe: the server stores only objects with a type and metadata.
    return parseExactJson(decoder.decode(withRevision(stored))) as Draft;
  }

  /** Returns the object's JSON in the served version, including the resourceVersion. */
  bytes(stored: StoredObject): Uint8Array {
    return withRevision(this.served(stored));
  }

  /** Returns the object with its JSON in the served version, without the resourceVersion. */
  served(stored: StoredObject): StoredObject {
    const { bytes } = stored;
    if (!this.#rewrites) {
      if (this.#storedHead.length === this.#servedHead.length && this.#storedHead.equals(this.#servedHead))
        return stored;
      if (startsWith(bytes, this.#storedHead)) {
        return { ...stored, bytes: Buffer.concat([this.#servedHead, bytes.subarray(this.#storedHead.length)]) };
      }
    }
    return { ...stored, bytes: this.#rewritten(stored) };
  }

  /** Returns the length in bytes of a list item made from a {@link served} object. */
  itemLength(served: StoredObject): number {
    return revisionedLength(served) - this.#itemStart(served.bytes);
  }

  /** Writes a {@link served} object as a list item at `offset` of `target`. Returns the end offset. */
  writeItem(target: Uint8Array, offset: number, served: StoredObject): number {
    const start = this.#itemStart(served.bytes);
    const end = writeRevisioned(target, offset, served, start);
    if (start > 0) target[offset] = open;
    return end;
  }

  /** Returns the offset in `bytes` where the list item starts: items of built-in lists omit the kind and apiVersion. */
  #itemStart(bytes: Uint8Array): number {
    if (this.definition.custom || !startsWith(bytes, this.#servedHead)) return 0;
    return this.#servedHead.length - 1;
  }

  #rewritten(stored: StoredObject): Uint8Array {
    let bytes = this.#bytes.get(stored.bytes);
    if (bytes === undefined) {
      const { kind, apiVersion, metadata, ...rest } = this.object(stored);
      bytes = Buffer.from(
        stringifyJson({ kind, apiVersion, metadata: { ...metadata, resourceVersion: undefined }, ...rest }),
      );
      this.#bytes.set(stored.bytes, bytes);
    }
    return bytes;
  }
}

function versionOf({ revision }: StoredObject): string | undefined {
  return revision === 0 ? undefined : String(revision);
}

function headOf(kind: string, apiVersion: string): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

function startsWith(bytes: Uint8Array, head: Buffer): boolean {
  if (bytes.length < head.length || bytes[head.length - 1] !== comma) return false;
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

/** Rebuilds metadata in the API's field order. `resourceVersion` stays undefined until {@link ServedForm.object} sets it. */
function orderMetadata(metadata: Draft['metadata']): Draft['metadata'] {
  const { name, generateName, namespace, uid, generation, creationTimestamp, deletionTimestamp, ...others } = metadata;
  const { deletionGracePeriodSeconds, labels, annotations, ownerReferences, finalizers, managedFields, ...rest } =
    others;
  const ordered: Draft['metadata'] = {};
  if (name !== undefined) ordered.name = name;
  if (generateName) ordered.generateName = generateName;
  if (namespace) ordered.namespace = namespace;
  if (uid !== undefined) ordered.uid = uid;
  hideVersion(ordered);
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

/** Encodes a draft in storage form, without the resourceVersion, which storage keeps separately. */
export function encodeStored(draft: Draft): Uint8Array {
  hideVersion(draft.metadata);
  return Buffer.from(stringifyJson(draft));
}

/** Unsets the resourceVersion but keeps its position in the field order. */
function hideVersion(metadata: Draft['metadata']): void {
  (metadata as { resourceVersion: string | undefined }).resourceVersion = undefined; // JSON omits it
}
