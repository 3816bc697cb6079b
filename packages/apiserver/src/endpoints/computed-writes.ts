import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import { parseExactJson } from '@kubewright/apimachinery/internal';
import { methodNotSupported } from '../http/failures.ts';
import { type ComputedResource, type Draft, Registry } from '../registry/index.ts';
import type { Commit, Storage, StorageList, StorageWatch, StorageWrite, StoredObject } from '../storage/index.ts';
import { encoded, requestOf } from './computed-object.ts';
import type { ResourceCall } from './resource-call.ts';

/**
 * Returns a copy of the call whose storage calls the handlers of a computed resource. Updates, patches, applies and
 * deletions then take the same path as for stored objects, from decoding to admission.
 */
export function computedWrites(call: ResourceCall, computed: ComputedResource): ResourceCall {
  const { definition, services } = call.registry;
  const own = {
    ...definition,
    // Handlers get objects in the version that they serve.
    storageApiVersion: apiVersionOf(definition),
    conversion: undefined,
    converter: undefined,
    fromStored: undefined,
    // Handlers need not support resource versions, and nothing would remove the garbage collector's finalizers.
    strategy: { ...definition.strategy, allowUnconditionalUpdate: true, garbageCollection: false },
  };
  const storage = new HandlerStorage(call, computed);
  return { ...call, registry: new Registry(own, { ...services, storage, rehearse: undefined }) };
}

const decoder = new TextDecoder();

/** Returns the object name in a key. */
function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** A storage for one request. Reads and writes one object at a time through the handlers. */
class HandlerStorage implements Storage {
  readonly #call: ResourceCall;
  readonly #computed: ComputedResource;
  /** The last object read. */
  #old: KubernetesObject | undefined;

  constructor(call: ResourceCall, computed: ComputedResource) {
    this.#call = call;
    this.#computed = computed;
  }

  revision(): Promise<number> {
    return Promise.resolve(0);
  }

  async get(key: string): Promise<StoredObject | undefined> {
    this.#old = await this.#computed.get?.({ ...requestOf(this.#call), name: nameOf(key) });
    return this.#old && encoded(this.#call.registry, this.#old);
  }

  async commit(writes: readonly StorageWrite[]): Promise<Commit> {
    const [{ key, bytes }] = writes as readonly [StorageWrite]; // a request changes one object at a time
    const name = nameOf(key);
    const changed = bytes === undefined ? await this.#delete(name) : await this.#store(name, bytes);
    return { revision: changed?.revision ?? 0, objects: [changed] };
  }

  list(): Promise<StorageList> {
    throw methodNotSupported();
  }

  watch(): Promise<StorageWatch> {
    throw methodNotSupported();
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #delete(name: string): Promise<undefined> {
    const old = this.#old;
    if (this.#computed.delete === undefined || old === undefined) throw methodNotSupported();
    await this.#computed.delete({ ...requestOf(this.#call), name, old });
    return undefined;
  }

  async #store(name: string, bytes: Uint8Array): Promise<StoredObject> {
    const { registry } = this.#call;
    const request = requestOf(this.#call);
    const object = parseExactJson(decoder.decode(bytes)) as Draft;
    // The stored form contains null for a missing creation time; handlers do not get the field.
    if (object.metadata.creationTimestamp === null) delete object.metadata.creationTimestamp;
    const old = this.#old;
    const { create, update } = this.#computed;
    if (old === undefined) {
      if (create === undefined) throw methodNotSupported();
      return encoded(registry, await create.call(this.#computed, { ...request, object, dryRun: false }));
    }
    if (update === undefined) throw methodNotSupported();
    const { resourceVersion } = old.metadata;
    // The stored form contains no resource version, but handlers need it to detect conflicts.
    if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion;
    return encoded(registry, await update.call(this.#computed, { ...request, name, object, old }));
  }
}
