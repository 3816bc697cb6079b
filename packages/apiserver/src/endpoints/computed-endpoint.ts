import { forbiddenField, invalid, type KubernetesObject, notFound } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported } from '../http/failures.ts';
import { readBodyObject, readRequestBody, watchMediaType } from '../negotiation/index.ts';
import {
  type ComputedList,
  type ComputedResource,
  type ComputedSelection,
  checkObjectKey,
  decodeDraft,
  type ListOptions,
  type Page,
  readListOptions,
  readSelection,
  readWriteOptions,
} from '../registry/index.ts';
import { watchRepresentation } from '../tables/index.ts';
import { frame } from '../watch/index.ts';
import { encoded, requestOf, revisionOf } from './computed-object.ts';
import { listResponse, objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, writeCallOf } from './resource-call.ts';

const listOptionsKind = { group: 'meta.k8s.io', kind: 'ListOptions' };
/** The response of a server without the WatchList feature; clients then fall back to list and watch. */
const initialEventsForbidden = forbiddenField(
  'sendInitialEvents',
  'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
);

/**
 * Handles a get, list, watch or create of a resource whose objects are computed. For other verbs, see {@link computedWrites}.
 *
 * @throws StatusError 405 for a verb without a handler, and any error that the handler throws
 */
export async function computedEndpoint(call: ResourceCall, computed: ComputedResource): Promise<ApiResponse> {
  switch (call.info.verb) {
    case 'get':
      return get(call, computed);
    case 'list':
      return list(call, computed);
    case 'watch':
      return watch(call, computed);
    case 'create':
      return create(call, computed);
    default:
      throw methodNotSupported();
  }
}

async function get(call: ResourceCall, computed: ComputedResource): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'object');
  if (computed.get === undefined) throw methodNotSupported();
  const object = await computed.get({ ...requestOf(call), name: info.pathName });
  if (object === undefined) throw notFound(registry.definition, info.name);
  return objectResponse(registry.form, encoded(registry, object), {
    status: 200,
    format,
    include: includeOf(call),
    now: nowOf(call),
  });
}

async function list(call: ResourceCall, computed: ComputedResource): Promise<ApiResponse> {
  const format = formatOf(call, 'list');
  const page = await computedPage(call, computed);
  const { form, services } = call.registry;
  return listResponse(form, page, { format, include: includeOf(call), clock: services.clock });
}

/** Returns the objects of a computed resource that a list or deletecollection selects. */
export async function computedPage(call: ResourceCall, computed: ComputedResource): Promise<Page> {
  const { registry, info } = call;
  if (computed.list === undefined) throw methodNotSupported();
  const options = readListOptions(info.query, 'list');
  const { matches } = readSelection(options, registry.definition);
  const listed = await computed.list({ ...requestOf(call), ...selectionOf(options) });
  const { items, ...rest } = 'items' in listed ? listed : { items: listed };
  const objects = items.filter((object) => matches?.(object) ?? true).map((object) => encoded(registry, object));
  const { resourceVersion, continue: continueToken, remainingItemCount: remaining } = rest as Partial<ComputedList>;
  return { objects, revision: revisionOf(resourceVersion), continueToken, remaining };
}

async function watch(call: ResourceCall, computed: ComputedResource): Promise<ApiResponse> {
  const { registry, info, request } = call;
  const format = formatOf(call, 'event');
  if (computed.watch === undefined) throw methodNotSupported();
  const options = readListOptions(info.query, 'watch');
  if (format.mismatch) throw format.mismatch;
  if (options.sendInitialEvents !== undefined) throw invalid(listOptionsKind, '', [initialEventsForbidden]);
  const { matches } = readSelection(options, registry.definition);
  const ended = new AbortController();
  const signal = AbortSignal.any([request.signal, ended.signal]);
  const changes = computed.watch({ ...requestOf(call), ...selectionOf(options), signal });
  const representation = watchRepresentation(registry.form, format, { include: includeOf(call), now: nowOf(call) });
  async function* frames(): AsyncGenerator<Uint8Array> {
    const { clock, random } = registry.services;
    const timeoutMs = (options.timeoutSeconds || 1800 + random.next() * 1800) * 1000;
    using _end = clock.setTimer(timeoutMs, () => ended.abort(), { unref: true });
    const iterator = changes[Symbol.asyncIterator]();
    let first = true;
    try {
      for (;;) {
        const next = await nextBeforeAbort(iterator, signal);
        if (next === undefined || next.done === true) return;
        const { type, object } = next.value;
        if (matches?.(object) === false) continue;
        const item = { ...encoded(registry, object), object };
        yield frame(
          representation,
          type,
          representation.encode(item, { first: first && representation.firstDiffers === true }),
        );
        first = false;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      ended.abort();
      void close(iterator);
    }
  }
  const type = watchMediaType(format);
  const headers = { 'content-type': type, 'cache-control': 'no-cache, private' };
  return { status: 200, headers, body: frames() };
}

/**
 * Returns the next change, or undefined as soon as the signal is aborted. Does not rely on the handler, which may
 * ignore the signal.
 */
function nextBeforeAbort<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T> | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(undefined);
    const onAbort = (): void => resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    iterator
      .next()
      .finally(() => signal.removeEventListener('abort', onAbort))
      .then(resolve, reject);
  });
}

/** Lets a handler clean up. Its errors are ignored, because the reader has disconnected. */
async function close(iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // The stream has ended.
  }
}

async function create(call: ResourceCall, computed: ComputedResource): Promise<ApiResponse> {
  const { registry, info, request, options, warnings } = call;
  const { definition, services } = registry;
  const { strategy } = definition;
  const format = formatOf(call, 'object');
  if (computed.create === undefined) throw methodNotSupported();
  const writeOptions = readWriteOptions(info.query, 'CreateOptions');
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const body = readBodyObject(bytes, request.headers['content-type'], {
    kind: definition.kind,
    protobuf: options.protobuf,
    needsKind: true,
  });
  const { fieldValidation, dryRun } = writeOptions;
  const draft = decodeDraft(body, { definition, strategy, fieldValidation, warn: warnings.add });
  const writeCall = writeCallOf(call, writeOptions);
  checkObjectKey(draft, definition, { namespace: writeCall.namespace, name: '' });
  const attributes = registry.admissionAttributes(writeCall, { operation: 'CREATE', object: draft, old: undefined });
  await services.admission.mutate(attributes);
  const object = draft as unknown as KubernetesObject; // decoded as this kind
  const faults = strategy.validate?.(object, registry.strategyContext(writeCall)) ?? [];
  if (faults.length > 0) throw invalid(definition, draft.metadata.name ?? '', faults);
  await services.admission.validate(attributes);
  const made = await computed.create({ ...requestOf(call), object: draft, dryRun });
  return objectResponse(registry.form, encoded(registry, made), {
    status: 201,
    format,
    include: includeOf(call),
    now: nowOf(call),
  });
}

function selectionOf(options: ListOptions): ComputedSelection {
  const { labelSelector, fieldSelector, resourceVersion, limit, continue: token } = options;
  return { labelSelector, fieldSelector, resourceVersion, limit, continue: token };
}
