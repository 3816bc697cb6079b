import type { ObjectKey } from '@kubewright/apimachinery';
import type { CallRunner, CallSpec } from '../call/call-runner.ts';
import { RequestError } from '../call/request-error.ts';
import { type Patch, patchContentType } from '../patch.ts';
import type { ApplyOptions, GetOptions, WriteOptions } from './call-options.ts';
import { applyQuery, keyToApply, objectRequest, placeOf, type ResourceScope, writeQuery } from './object-request.ts';
import type { ApplyConfiguration, ByteStream, StreamOptions, SubresourceClient } from './resource-client.ts';

/** Implements {@link SubresourceClient} with a {@link CallRunner}. */
export class TypedSubresourceClient<S, A = S> implements SubresourceClient<S, A> {
  readonly #runner: CallRunner;
  readonly #scope: ResourceScope;
  readonly #name: string;

  constructor(runner: CallRunner, options: { readonly scope: ResourceScope; readonly name: string }) {
    if (!/^[a-z0-9-]+(\/.*)?$/.test(options.name)) {
      throw new RequestError({
        what: `invalid subresource name ${JSON.stringify(options.name)}`,
        why: 'a subresource name must consist of lower-case letters, digits and dashes',
      });
    }
    this.#runner = runner;
    this.#scope = options.scope;
    this.#name = options.name;
  }

  async get(key: ObjectKey, options?: GetOptions): Promise<A> {
    const query = { resourceVersion: options?.resourceVersion };
    return this.#json(objectRequest(this.#scope, { verb: 'get', at: this.#at(key), query, signal: options?.signal }));
  }

  async create<R = A>(key: ObjectKey, body: object, options?: WriteOptions): Promise<R> {
    const query = writeQuery(this.#scope, options);
    const spec = objectRequest(this.#scope, {
      verb: 'create',
      at: this.#at(key),
      query,
      body,
      dryRun: options?.dryRun,
      signal: options?.signal,
    });
    // The caller states the result type of this subresource; the type cannot be checked at run time.
    return (await this.#json(spec)) as unknown as R;
  }

  async update(object: S, options?: WriteOptions): Promise<A> {
    const at = this.#at(keyOf(object, this.#scope));
    const query = writeQuery(this.#scope, options);
    const { dryRun, signal } = options ?? {};
    return this.#json(objectRequest(this.#scope, { verb: 'update', at, query, body: object, dryRun, signal }));
  }

  async patch(key: ObjectKey, patch: Patch, options?: WriteOptions): Promise<A> {
    return this.#json(
      objectRequest(this.#scope, {
        verb: 'patch',
        at: this.#at(key),
        query: writeQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body: patch.body,
        contentType: patchContentType(patch),
        signal: options?.signal,
      }),
    );
  }

  async apply(object: ApplyConfiguration<S>, options?: ApplyOptions): Promise<A> {
    return this.#json(
      objectRequest(this.#scope, {
        verb: 'apply',
        at: this.#at(keyToApply(object.metadata)),
        query: applyQuery(this.#scope, options),
        dryRun: options?.dryRun,
        body: object,
        contentType: 'application/apply-patch+yaml',
        signal: options?.signal,
      }),
    );
  }

  async stream(key: ObjectKey, options?: StreamOptions): Promise<ByteStream> {
    const spec = objectRequest(this.#scope, {
      verb: 'get',
      at: this.#at(key),
      query: options?.query ?? {},
      accept: '*/*',
      signal: options?.signal,
      longRunning: options?.longRunning,
    });
    const { headers, body } = await this.#runner.run(spec);
    return { headers, body };
  }

  #at(key: ObjectKey): { readonly namespace?: string; readonly name: string; readonly subresource: string } {
    return { ...placeOf(this.#scope, key), subresource: this.#name };
  }

  async #json(spec: CallSpec): Promise<A> {
    // The server has validated its response against the kind; the caller states that kind as `S`.
    return (await this.#runner.json(spec)) as A;
  }
}

/** Returns the key of an object. @throws RequestError if the object has no name. */
export function keyOf(object: unknown, scope: ResourceScope): ObjectKey {
  const metadata = (object as { readonly metadata?: { readonly name?: string; readonly namespace?: string } }).metadata;
  if (!metadata?.name)
    throw new RequestError({ what: `cannot update ${scope.kind.kind}`, why: 'the object has no metadata.name' });
  return metadata.namespace === undefined
    ? { name: metadata.name }
    : { name: metadata.name, namespace: metadata.namespace };
}
