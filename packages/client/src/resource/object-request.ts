import type { KindDescriptor, ObjectKey, ObjectMeta } from '@kubewright/apimachinery';
import { defined, stringifyJson } from '@kubewright/apimachinery/internal';
import type { CallSpec } from '../call/call-runner.ts';
import { RequestError } from '../call/request-error.ts';
import type { CallTarget, Verb } from '../interceptor.ts';
import type { ApplyOptions, DeleteOptions, WriteOptions } from './call-options.ts';
import { type Query, resourcePath, withQuery } from './resource-path.ts';

/** Settings shared by the calls on one kind. */
export interface ResourceScope {
  readonly kind: KindDescriptor;
  readonly defaultNamespace: string;
  readonly fieldManager: string | undefined;
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
  /** True to make every write a dry run. */
  readonly dryRun?: boolean | undefined;
  /** The only namespace that calls may target. */
  readonly onlyNamespace?: string | undefined;
  /** Media types to request for objects and lists; unset for the full objects. */
  readonly accept?: { readonly object: string; readonly list: string } | undefined;
}

/** The target of one call. */
export interface RequestPlace {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
}

const methods: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  apply: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  raw: 'GET',
};

/** Encodes one call on a kind as a request. */
export function objectRequest(
  scope: ResourceScope,
  options: {
    readonly verb: Verb;
    readonly at: RequestPlace;
    readonly query?: Query;
    readonly body?: unknown;
    readonly contentType?: string;
    readonly accept?: string;
    readonly signal?: AbortSignal | undefined;
    readonly longRunning?: boolean | undefined;
    readonly dryRun?: boolean | undefined;
    readonly uid?: string | undefined;
    readonly key?: ObjectKey | undefined;
  },
): CallSpec {
  const { verb, at, body } = options;
  const path = resourcePath(scope.kind, at);
  return {
    verb,
    target: targetOf(scope.kind, at),
    method: methods[verb],
    path: options.query ? withQuery(path, options.query) : path,
    headers: {
      accept: options.accept ?? scope.accept?.object ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
    },
    body: body === undefined ? undefined : encodeJson(body, path),
    signal: options.signal,
    longRunning: options.longRunning,
    dryRun: options.dryRun || scope.dryRun,
    uid: options.uid,
    key: options.key,
  };
}

/**
 * Returns the location of an object: its name and, for namespaced kinds, its own namespace or the default namespace.
 */
export function placeOf(scope: ResourceScope, key: ObjectKey): { readonly namespace?: string; readonly name: string } {
  if (scope.kind.scope === 'Cluster') return { name: key.name };
  return { namespace: inScope(scope, key.namespace || scope.defaultNamespace), name: key.name };
}

/**
 * Returns the key of an object to apply. @throws RequestError if the object has no name, because an apply cannot
 * generate a name.
 */
export function keyToApply({ namespace, name }: ObjectMeta): ObjectKey {
  if (name) return namespace === undefined ? { name } : { namespace, name };
  throw new RequestError({
    what: 'cannot apply an object without a name',
    why: 'server-side apply does not support generateName',
    remedy: 'set metadata.name',
  });
}

/**
 * Returns the namespace of a call on a collection; undefined means all namespaces.
 * @throws RequestError if the client is bound to another namespace.
 */
export function collectionNamespace(scope: ResourceScope, namespace: string | undefined): string | undefined {
  if (scope.kind.scope === 'Cluster') return undefined;
  return inScope(scope, namespace || scope.onlyNamespace);
}

function inScope<N extends string | undefined>(scope: ResourceScope, namespace: N): N {
  const { onlyNamespace } = scope;
  if (onlyNamespace === undefined || namespace === onlyNamespace) return namespace;
  throw new RequestError({
    what: `cannot access ${scope.kind.plural} in namespace ${JSON.stringify(namespace)}`,
    why: `this client is bound to namespace ${JSON.stringify(onlyNamespace)}`,
  });
}

/** True if the call or the client makes the write a dry run. */
function isDryRun(scope: ResourceScope, options: { readonly dryRun?: boolean | undefined } | undefined): boolean {
  return options?.dryRun === true || scope.dryRun === true;
}

/** Returns the query parameters of a write. */
export function writeQuery(scope: ResourceScope, options: WriteOptions | undefined): Query {
  return {
    dryRun: isDryRun(scope, options) ? 'All' : undefined,
    fieldManager: options?.fieldManager ?? scope.fieldManager,
    fieldValidation: options?.fieldValidation ?? scope.fieldValidation,
  };
}

/**
 * Returns the query parameters of an apply.
 * @throws RequestError if neither the call nor the client names a field manager.
 */
export function applyQuery(scope: ResourceScope, options: ApplyOptions | undefined): Query {
  const query = writeQuery(scope, options);
  if (!query['fieldManager']) {
    throw new RequestError({
      what: `cannot apply ${scope.kind.kind}`,
      why: 'server-side apply requires a field manager',
      remedy: 'set fieldManager in the options of the call or of the client',
    });
  }
  // The server is always strict for applies, so send the parameter only if a call sets it explicitly.
  return { ...query, fieldValidation: options?.fieldValidation, force: options?.force ? true : undefined };
}

/** Returns the body of a delete request; undefined if no option is set. */
export function deleteBody(scope: ResourceScope, options: DeleteOptions = {}): object | undefined {
  const { gracePeriodSeconds, preconditions, propagationPolicy } = options;
  const wanted = {
    ...defined({ gracePeriodSeconds, preconditions, propagationPolicy }),
    ...(isDryRun(scope, options) ? { dryRun: ['All'] } : {}),
  };
  return Object.keys(wanted).length === 0 ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', ...wanted };
}

function targetOf(kind: KindDescriptor, at: RequestPlace): CallTarget {
  const namespace = kind.scope === 'Namespaced' && at.namespace ? { namespace: at.namespace } : {};
  return {
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    kind: kind.kind,
    ...namespace,
    ...defined({ subresource: at.subresource }),
    ...(at.name === undefined ? {} : { name: at.name, key: { ...namespace, name: at.name } }),
  };
}

function encodeJson(body: unknown, path: string): Uint8Array {
  if (body === undefined)
    throw new RequestError({ what: `cannot encode the request to ${path}`, why: 'the body must be an object' });
  try {
    return Buffer.from(stringifyJson(body), 'utf8');
  } catch (cause) {
    throw new RequestError(
      {
        what: `cannot encode the request to ${path}`,
        why: 'the body contains a circular reference or another value that JSON cannot represent',
      },
      { cause },
    );
  }
}
