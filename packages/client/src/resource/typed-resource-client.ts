import {
  apiVersionOf,
  isGone,
  type KubernetesList,
  type KubernetesObject,
  type ObjectKey,
  type Status,
  type Stored,
} from '@kubewright/apimachinery';
import type { CallRunner, CallSpec } from '../call/call-runner.ts';
import { isStatus } from '../call/failed-response.ts';
import { type Patch, patchContentType } from '../patch.ts';
import { waitUntil } from '../wait/wait-for.ts';
import { openWatch } from '../watch/open-watch.ts';
import type { WatchEvent } from '../watch/watch-event.ts';
import type {
  ApplyOptions,
  CallOptions,
  CollectionScope,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WaitForDeletionOptions,
  WatchOptions,
  WriteOptions,
} from './call-options.ts';
import {
  applyQuery,
  collectionNamespace,
  deleteBody,
  keyToApply,
  objectRequest,
  placeOf,
  type ResourceScope,
  writeQuery,
} from './object-request.ts';
import type {
  ApplyConfiguration,
  ByteStream,
  Creatable,
  ResourceClient,
  SubresourceClient,
} from './resource-client.ts';
import { type Query, selectorText } from './resource-path.ts';
import { keyOf, TypedSubresourceClient } from './typed-subresource-client.ts';

/** Number of items in one page of {@link ResourceClient.listAll}; the page size of client-go's pager. */
const pageSize = 500;

/** Implements {@link ResourceClient} with a {@link CallRunner}. */
export class TypedResourceClient<T extends KubernetesObject> implements ResourceClient<T> {
  readonly #runner: CallRunner;
  readonly #scope: ResourceScope;

  constructor(runner: CallRunner, scope: ResourceScope) {
    this.#runner = runner;
    this.#scope = scope;
  }

  get status(): SubresourceClient<T, Stored<T>> {
    return new TypedSubresourceClient<T, Stored<T>>(this.#runner, { scope: this.#scope, name: 'status' });
  }

  subresource<S = KubernetesObject>(name: string): SubresourceClient<S> {
    return new TypedSubresourceClient<S>(this.#runner, { scope: this.#scope, name });
  }

  async get(key: ObjectKey, options?: GetOptions): Promise<Stored<T>> {
    const query = { resourceVersion: options?.resourceVersion };
    return this.#object(
      objectRequest(this.#scope, { verb: 'get', at: placeOf(this.#scope, key), query, signal: options?.signal }),
    );
  }

  async list(options?: ListOptions): Promise<KubernetesList<Stored<T>>> {
    const spec = this.#listRequest(options);
    const list = (await this.#runner.json(spec)) as KubernetesList<Stored<T>>;
    return { ...list, items: (list.items ?? []).map((item) => this.#named(item)) };
  }

  async *listAll(options?: ListOptions): AsyncGenerator<Stored<T>, void, undefined> {
    const yielded = new Set<string>();
    let page: ListOptions = { limit: pageSize, ...options };
    let restarted = false;
    for (;;) {
      let list: KubernetesList<Stored<T>>;
      try {
        list = await this.list(page);
      } catch (error) {
        if (!isGone(error) || page.continue === undefined || restarted) throw error;
        // The token is older than the server's history. Read everything again without paging, and skip items already
        // yielded.
        restarted = true;
        page = { ...options, limit: undefined, continue: undefined };
        continue;
      }
      for (const item of list.items) {
        const id = item.metadata.uid ?? `${item.metadata.namespace ?? ''}/${item.metadata.name}`;
        if (restarted && yielded.has(id)) continue;
        yielded.add(id);
        yield item;
      }
      if (!list.metadata.continue) return;
      // A page token is bound to the version of the first page; the server rejects a token together with a version.
      page = { ...page, continue: list.metadata.continue, resourceVersion: undefined, resourceVersionMatch: undefined };
    }
  }

  async create(object: Creatable<T>, options?: WriteOptions): Promise<Stored<T>> {
    const body = this.#named({ ...object, metadata: object.metadata ?? {} } as T);
    const { name } = body.metadata;
    const place = placeOf(this.#scope, { ...body.metadata, name: name ?? '' });
    const { namespace } = place;
    return this.#object(
      objectRequest(this.#scope, {
        verb: 'create',
        at: { namespace },
        key: name ? place : undefined,
        query: writeQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body,
        signal: options?.signal,
      }),
    );
  }

  async update(object: T, options?: WriteOptions): Promise<Stored<T>> {
    return this.#object(
      objectRequest(this.#scope, {
        verb: 'update',
        at: placeOf(this.#scope, keyOf(object, this.#scope)),
        query: writeQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body: this.#named(object),
        signal: options?.signal,
      }),
    );
  }

  async patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<Stored<T>> {
    return this.#object(
      objectRequest(this.#scope, {
        verb: 'patch',
        at: placeOf(this.#scope, key),
        query: writeQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body: patch.body,
        contentType: patchContentType(patch),
        signal: options?.signal,
      }),
    );
  }

  async apply(object: ApplyConfiguration<T>, options?: ApplyOptions): Promise<Stored<T>> {
    const { kind } = this.#scope;
    return this.#object(
      objectRequest(this.#scope, {
        verb: 'apply',
        at: placeOf(this.#scope, keyToApply(object.metadata)),
        query: applyQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body: { ...object, apiVersion: object.apiVersion ?? apiVersionOf(kind), kind: object.kind ?? kind.kind },
        contentType: 'application/apply-patch+yaml',
        signal: options?.signal,
      }),
    );
  }

  async delete(key: ObjectKey, options?: DeleteOptions): Promise<Stored<T> | Status> {
    const spec = objectRequest(this.#scope, {
      verb: 'delete',
      at: placeOf(this.#scope, key),
      body: deleteBody(this.#scope, options),
      dryRun: options?.dryRun,
      uid: options?.preconditions?.uid,
      signal: options?.signal,
    });
    const response = await this.#runner.json(spec);
    return isStatus(response) ? response : this.#named(response as Stored<T>);
  }

  async deleteCollection(options?: DeleteCollectionOptions): Promise<KubernetesList<Stored<T>> | Status> {
    const spec = objectRequest(this.#scope, {
      verb: 'deletecollection',
      at: { namespace: collectionNamespace(this.#scope, options?.namespace) },
      query: listQuery(options),
      body: deleteBody(this.#scope, options),
      dryRun: options?.dryRun,
      signal: options?.signal,
    });
    return (await this.#runner.json(spec)) as KubernetesList<Stored<T>> | Status;
  }

  watch(options?: WatchOptions): AsyncIterable<WatchEvent<Stored<T>>> {
    return openWatch<Stored<T>>({
      what: `watch of ${this.#scope.kind.plural}`,
      signal: options?.signal,
      open: async (signal) => (await this.watchStream({ ...options, signal })).body,
    });
  }

  async waitFor(key: ObjectKey, condition: (object: Stored<T>) => boolean, options?: CallOptions): Promise<Stored<T>> {
    const isDone = (object: Stored<T> | undefined): boolean => object !== undefined && condition(object);
    return this.#named((await this.#wait(key, isDone, options)) as Stored<T>);
  }

  async waitForDeletion(key: ObjectKey, options?: WaitForDeletionOptions): Promise<void> {
    const uid = options?.uid;
    const isDone = (object: Stored<T> | undefined): boolean =>
      object === undefined || (uid !== undefined && object.metadata.uid !== uid);
    await this.#wait(key, isDone, options);
  }

  #wait(
    key: ObjectKey,
    isDone: (object: Stored<T> | undefined) => boolean,
    options: CallOptions | undefined,
  ): Promise<Stored<T> | undefined> {
    const { clock, random } = this.#runner;
    return waitUntil<T>({ resource: this, key: placeOf(this.#scope, key), clock, random }, isDone, options);
  }

  async listStream(options?: ListOptions): Promise<ByteStream> {
    const { headers, body } = await this.#runner.run(this.#listRequest(options));
    return { headers, body };
  }

  async watchStream(options?: WatchOptions): Promise<ByteStream> {
    const spec = objectRequest(this.#scope, {
      verb: 'watch',
      at: { namespace: collectionNamespace(this.#scope, options?.namespace) },
      query: watchQuery(options),
      signal: options?.signal,
      longRunning: true,
    });
    const { headers, body } = await this.#runner.run(spec);
    return { headers, body };
  }

  #listRequest(options: ListOptions | undefined): CallSpec {
    return objectRequest(this.#scope, {
      verb: 'list',
      at: { namespace: collectionNamespace(this.#scope, options?.namespace) },
      query: listQuery(options),
      accept: this.#scope.accept?.list ?? 'application/json',
      signal: options?.signal,
    });
  }

  async #object(spec: CallSpec): Promise<Stored<T>> {
    // The cast is safe: the server has validated the object against its kind, and the kind determines the type.
    return this.#named((await this.#runner.json(spec)) as Stored<T>);
  }

  /** Fills in `apiVersion` and `kind`, which items of built-in lists and objects written by a program may lack. */
  #named<O extends T>(object: O): O {
    if (object.apiVersion && object.kind) return object;
    return { ...object, apiVersion: apiVersionOf(this.#scope.kind), kind: this.#scope.kind.kind };
  }
}

function selectorQuery(options: CollectionScope | undefined): Query {
  return { labelSelector: selectorText(options?.labelSelector), fieldSelector: selectorText(options?.fieldSelector) };
}

function listQuery(options: ListOptions | undefined): Query {
  return {
    ...selectorQuery(options),
    limit: options?.limit || undefined,
    continue: options?.continue,
    resourceVersion: options?.resourceVersion,
    resourceVersionMatch: options?.resourceVersionMatch,
    timeoutSeconds: options?.timeoutSeconds,
  };
}

function watchQuery(options: WatchOptions | undefined): Query {
  return {
    watch: true,
    allowWatchBookmarks: options?.allowWatchBookmarks ?? true,
    ...selectorQuery(options),
    resourceVersion: options?.resourceVersion,
    resourceVersionMatch: options?.resourceVersionMatch ?? (options?.sendInitialEvents ? 'NotOlderThan' : undefined),
    sendInitialEvents: options?.sendInitialEvents,
    timeoutSeconds: options?.timeoutSeconds,
  };
}
