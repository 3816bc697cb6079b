import type { KindDescriptor, ObjectKey } from '@kubewright/apimachinery';
import type { CallSpec } from '../call/call-runner.ts';
import { RequestError } from '../call/request-error.ts';
import type { CallTarget, Verb } from '../interceptor.ts';
import type { ApplyOptions, DeleteOptions, WriteOptions } from './call-options.ts';
import { type Query, resourcePath, withQuery } from './resource-path.ts';

/** What the calls on one kind have in common. */
export interface ResourceScope {
  readonly kind: KindDescriptor;
  readonly defaultNamespace: string;
  readonly fieldManager: string | undefined;
  /** What the answers shall look like; unset: the objects themselves. */
  readonly accept?: { readonly object: string; readonly list: string } | undefined;
}

/** Where one call goes. */
export interface RequestPlace {
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly subresource?: string;
}

const METHODS: Readonly<Record<Verb, string>> = {
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

/** Writes one call on a kind down as a request. */
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
  },
): CallSpec {
  const { verb, at, body } = options;
  const path = resourcePath(scope.kind, at);
  return {
    verb,
    target: targetOf(scope.kind, at),
    method: METHODS[verb],
    path: options.query ? withQuery(path, options.query) : path,
    headers: {
      accept: options.accept ?? scope.accept?.object ?? 'application/json',
      ...(body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
    },
    body: body === undefined ? undefined : encodeJson(body, path),
    signal: options.signal,
    longRunning: options.longRunning,
  };
}

/** The place of an object: its own namespace, or the default one. */
export function placeOf(scope: ResourceScope, key: ObjectKey): { readonly namespace?: string; readonly name: string } {
  return scope.kind.scope === 'Cluster'
    ? { name: key.name }
    : { namespace: key.namespace || scope.defaultNamespace, name: key.name };
}

/** Query parameters of a write. */
export function writeQuery(scope: ResourceScope, options: WriteOptions | undefined): Query {
  return {
    dryRun: options?.dryRun ? 'All' : undefined,
    fieldManager: options?.fieldManager ?? scope.fieldManager,
    fieldValidation: options?.fieldValidation,
  };
}

/**
 * Query parameters of an apply.
 *
 * @throws RequestError when neither the call nor the client names a field manager.
 */
export function applyQuery(scope: ResourceScope, options: ApplyOptions | undefined): Query {
  const query = writeQuery(scope, options);
  if (!query['fieldManager']) {
    throw new RequestError(
      `apply of ${scope.kind.kind}: a field manager is needed; give the call or the client a fieldManager`,
    );
  }
  return { ...query, force: options?.force ? true : undefined };
}

/** The body of a deletion, or none when nothing is asked for. */
export function deleteBody(options: DeleteOptions | undefined): object | undefined {
  if (!options) return undefined;
  const { gracePeriodSeconds, preconditions, propagationPolicy, dryRun } = options;
  const wanted = {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(dryRun ? { dryRun: ['All'] } : {}),
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
    ...(at.subresource === undefined ? {} : { subresource: at.subresource }),
    ...(at.name === undefined ? {} : { name: at.name, key: { ...namespace, name: at.name } }),
  };
}

function encodeJson(body: unknown, path: string): Uint8Array {
  let text: string | undefined;
  try {
    text = JSON.stringify(body);
  } catch (cause) {
    throw new RequestError(`${path}: the body cannot be written as JSON (a cycle, a BigInt, or too deep)`, { cause });
  }
  if (text === undefined) throw new RequestError(`${path}: the body is not an object`);
  return Buffer.from(text, 'utf8');
}
