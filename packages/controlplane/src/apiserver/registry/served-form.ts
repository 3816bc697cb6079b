import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import type { StoredObject } from '../../storage/storage.ts';
import type { WatchItem } from '../watch/index.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { Draft } from './strategy.ts';

const decoder = new TextDecoder();
const COMMA = 0x2c;
const OPEN = 0x7b;

/**
 * Stored objects in the form in which one version of a resource is served. Mostly the stored bytes themselves: an object
 * is decoded only for those who must look into it, and encoded again only where versions differ or a custom resource's
 * defaults have to be filled in. What was made once is kept as long as the stored bytes live.
 */
export class ServedForm {
  readonly definition: ResourceDefinition;
  readonly apiVersion: string;
  /** `{"kind":"Pod","apiVersion":"v1",`: how stored bytes begin. */
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

  /** The decoded object. Shared: never to be modified. */
  object(stored: StoredObject): KubernetesObject {
    let object = this.#objects.get(stored.bytes);
    if (object === undefined) {
      object = this.draft(stored) as unknown as KubernetesObject;
      this.#objects.set(stored.bytes, object);
    }
    return object;
  }

  /** An event's object in the shape of a stored one. */
  item({ key, bytes }: WatchItem): StoredObject {
    return { key, bytes, revision: 0 };
  }

  /**
   * Encodes what is about to be stored at a revision, and keeps it as the decoded object: watches ask for it before the
   * writer goes on. The draft must not be modified any more.
   */
  encode(draft: Draft, revision: number): Uint8Array {
    const bytes = encodeStored(draft, String(revision));
    if (!this.#rewrites && draft.apiVersion === this.apiVersion) {
      this.#objects.set(bytes, draft as unknown as KubernetesObject); // complete, once it has its revision
    }
    return bytes;
  }

  /** A decoded object of one's own, to be changed. */
  draft(stored: StoredObject): Draft {
    // What the server stored is an object with type and metadata.
    const raw = JSON.parse(decoder.decode(stored.bytes)) as Draft;
    const { conversion, custom, strategy, fromStored } = this.definition;
    const draft = conversion ? (conversion.fromStorage(raw as unknown as KubernetesObject) as unknown as Draft) : raw;
    if (draft.apiVersion !== this.apiVersion) draft.apiVersion = this.apiVersion;
    if (fromStored) return fromStored(draft);
    if (custom) strategy.applyDefaults?.(draft);
    return draft;
  }

  /** The JSON of the object. */
  bytes(stored: StoredObject): Uint8Array {
    if (this.#rewrites) return this.#rewritten(stored);
    if (this.#storedHead.length === this.#servedHead.length && this.#storedHead.equals(this.#servedHead)) {
      return stored.bytes;
    }
    if (!this.#hasHead(stored.bytes)) return this.#rewritten(stored);
    return Buffer.concat([this.#servedHead, stored.bytes.subarray(this.#storedHead.length)]);
  }

  /**
   * Where an element of a list begins in {@link bytes}: items of built-in lists carry neither kind nor apiVersion. The
   * byte before the start is to be taken for the opening brace.
   */
  itemStart(bytes: Uint8Array): number {
    if (this.definition.custom || !this.#startsWithServedHead(bytes)) return 0;
    return this.#servedHead.length - 1;
  }

  /** Writes an item at `offset` of `target`; answers where it ends. */
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
 * Brings a draft into storage's version and canonical order: kind, apiVersion, metadata, then the rest as it comes.
 * Metadata's fields stand in the order in which the API writes them.
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

/** Rebuilds metadata in the API's order; `resourceVersion` gets its place for {@link encodeStored} to fill. */
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
  for (const _ in rest) return { ...ordered, ...rest }; // seldom: a field that is not ours
  return ordered;
}

function hasEntries<T extends object>(map: T | undefined): map is T {
  if (map === undefined || map === null) return false;
  for (const _ in map) return true;
  return false;
}

/** Encodes a draft that is in storage's form under the resourceVersion that it gets. */
export function encodeStored(draft: Draft, resourceVersion: string): Uint8Array {
  if (resourceVersion === '') delete draft.metadata.resourceVersion;
  else draft.metadata.resourceVersion = resourceVersion;
  return Buffer.from(JSON.stringify(draft));
}
