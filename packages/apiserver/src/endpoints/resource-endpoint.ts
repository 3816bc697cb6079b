import { badRequest, FieldSelector, notFound, type Status, StatusError } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, pathNotFound, unsupportedMediaType } from '../http/failures.ts';
import { mediaTypeOf, type OutputFormat, readBodyObject, readRequestBody } from '../negotiation/index.ts';
import {
  type ComputedResource,
  checkObjectKey,
  createObject,
  decodeDraft,
  deleteObject,
  getObject,
  listObjects,
  patchObject,
  patchTypeOf,
  patchTypes,
  type ResourceDefinition,
  readListOptions,
  readSelection,
  readWriteOptions,
  type Selection,
  type StatusSubresource,
  type Strategy,
  updateObject,
} from '../registry/index.ts';
import { watchRepresentation } from '../tables/index.ts';
import type { WatchFilter } from '../watch/index.ts';
import { slotHolder } from './caller-class.ts';
import { computedEndpoint } from './computed-endpoint.ts';
import { computedWrites } from './computed-writes.ts';
import { connect } from './connect-endpoint.ts';
import { deleteCollection } from './delete-collection.ts';
import { jsonResponse, listResponse, objectResponse } from './object-response.ts';
import { pageNotFound } from './page-not-found.ts';
import {
  formatOf,
  includeOf,
  namespaceOf,
  nowOf,
  type ResourceCall,
  readCallOf,
  readDeletion,
  upsertCallOf,
  writeCallOf,
} from './resource-call.ts';
import { scaleEndpoint } from './scale-endpoint.ts';
import { createVirtual } from './virtual-endpoint.ts';

/**
 * Handles a request for a resource.
 *
 * @throws StatusError the API's error response
 */
export async function resourceEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { info, registry } = call;
  const { definition } = registry;
  if (definition.deprecation !== undefined) call.warnings.add(definition.deprecation);
  if (definition.custom && isOutOfScope(call)) return pageNotFound;
  checkScope(call);
  checkMethod(call);
  if (info.subresource !== '') return subresourceEndpoint(call);
  if (definition.virtual) return createVirtual(call, definition.virtual);
  const allowed = definition.verbs.includes(info.verb);
  const onItem = info.pathName !== '';
  // The path of a watch may end with a name: `/api/v1/watch/nodes/n`.
  const isFitting = info.verb === 'watch' || onItem === itemVerbs.has(info.verb);
  if (!allowed || !isFitting) throw methodNotSupported();
  if (definition.computed) return computed(call, definition.computed);
  return mainEndpoint(call, definition.strategy);
}

function computed(call: ResourceCall, handlers: ComputedResource): Promise<ApiResponse> {
  if (!['update', 'patch', 'delete'].includes(call.info.verb)) return computedEndpoint(call, handlers);
  const writes = computedWrites(call, handlers);
  return mainEndpoint(writes, writes.registry.definition.strategy);
}

const itemVerbs = new Set(['get', 'update', 'patch', 'delete']);

/** Rejects HEAD, which upstream routes for custom resources only, and watches with another method than GET. */
function checkMethod({ info, request, registry }: ResourceCall): void {
  const isRouted = request.method !== 'HEAD' || registry.definition.custom === true || info.subresource === 'proxy';
  if (!isRouted || (info.verb === 'watch' && request.method !== 'GET' && request.method !== 'HEAD')) {
    throw methodNotSupported();
  }
}

/** True if the scope is wrong; upstream's server for custom resources does not route such paths. */
function isOutOfScope({ info, registry }: ResourceCall): boolean {
  if (registry.definition.scope === 'Cluster') return info.namespace !== '';
  return info.namespace === '' && info.pathName !== '';
}

function checkScope({ info, registry }: ResourceCall): void {
  const { definition } = registry;
  if (definition.scope === 'Cluster') {
    // A request for a namespace carries its name as the namespace, but is never nested in another one.
    const isNamespaces = definition.resource === 'namespaces' && definition.group === '';
    if (info.inNamespace || (info.namespace !== '' && !isNamespaces)) throw pathNotFound();
    return;
  }
  if (info.namespace !== '') return;
  // Without a namespace, namespaced resources can only be listed and watched.
  if (info.pathName !== '' || definition.virtual !== undefined) throw pathNotFound();
  if (info.verb !== 'list' && info.verb !== 'watch') throw methodNotSupported();
}

function mainEndpoint(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
  switch (call.info.verb) {
    case 'get':
      return get(call);
    case 'list':
      return list(call);
    case 'watch':
      return watch(call);
    case 'create':
      return create(call, strategy);
    case 'update':
      return update(call, strategy);
    case 'patch':
      return patch(call, strategy);
    case 'delete':
      return remove(call);
    case 'deletecollection':
      return deleteCollection(call);
    default:
      throw methodNotSupported();
  }
}

async function subresourceEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { info, registry } = call;
  const definition = registry.definition.subresources.get(info.subresource);
  if (definition === undefined && registry.definition.custom) throw notFound(registry.definition, info.name);
  if (info.pathName === '') throw pathNotFound();
  if (definition === undefined) throw pathNotFound();
  const { behaviour } = definition;
  if (behaviour.type === 'connect') {
    const { computed: handlers } = registry.definition;
    return connect(handlers ? computedWrites(call, handlers) : call, definition, behaviour);
  }
  if (info.remainder.length > 0) throw pathNotFound();
  if (!definition.verbs.includes(info.verb)) throw unsupportedVerb(call);
  if (behaviour.type === 'scale') return scaleEndpoint(call, behaviour);
  return mainEndpoint(call, statusStrategy(behaviour, registry.definition));
}

function unsupportedVerb({ info, registry }: ResourceCall): Error {
  if (!registry.definition.custom) return methodNotSupported();
  const { group, resource } = registry.definition;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${info.verb} is not supported on resources of kind "${resource}.${group}"`,
    reason: 'MethodNotAllowed',
    details: { group, kind: resource },
    code: 405,
  });
}

/** Returns the strategy of a status update. It creates nothing, and may omit the resourceVersion where the main endpoint may. */
function statusStrategy({ strategy }: StatusSubresource, { strategy: main }: ResourceDefinition): Strategy {
  return {
    ...strategy,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: main.allowUnconditionalUpdate,
  };
}

async function get(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'object');
  const resourceVersion = info.query.size === 0 ? '' : (info.query.get('resourceVersion') ?? '');
  const stored = await getObject(registry, readCallOf(call), resourceVersion);
  return objectResponse(registry.form, stored, { status: 200, format, include: includeOf(call), now: nowOf(call) });
}

async function list(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'list');
  const options = readListOptions(info.query, 'list');
  const selection = readSelection(options, registry.definition);
  const page = await listObjects(registry, readCallOf(call), { options, selection });
  return listResponse(registry.form, page, { format, include: includeOf(call), clock: registry.services.clock });
}

async function watch(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info, request, user } = call;
  const { privileged, username } = slotHolder(request, user);
  const { definition, services } = registry;
  const format = formatOf(call, 'object');
  const options = readListOptions(info.query, 'watch');
  const selection = readSelection(ofOneName(options, info.pathName), definition);
  const namespace = namespaceOf(call);
  const { resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks, timeoutSeconds } = options;
  const body = await services.watchSource(definition).watch({
    representation: watchRepresentation(registry.form, format, { include: includeOf(call), now: nowOf(call) }),
    namespace: namespace === '' ? undefined : namespace,
    name: selection.name,
    filter: watchFilter(call, selection),
    resourceVersion,
    resourceVersionMatch,
    sendInitialEvents,
    allowWatchBookmarks,
    timeoutSeconds: timeoutSeconds !== undefined && timeoutSeconds > 0 ? timeoutSeconds : undefined,
    owner: privileged ? undefined : username,
    signal: request.signal,
  });
  const type = format.mediaType === 'application/json' ? 'application/json' : 'application/json;stream=watch';
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache, private' },
    body,
  };
}

/** Restricts a watch to the name in its path, if there is one. */
function ofOneName<T extends { readonly fieldSelector: string }>(options: T, name: string): T {
  const own = `metadata.name=${name}`;
  if (name === '') return options;
  if (options.fieldSelector === '') return { ...options, fieldSelector: own };
  // The request's information has read the selector before, so it can be parsed.
  if (FieldSelector.parse(options.fieldSelector).exactValue('metadata.name') === name) return options;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

function watchFilter({ registry }: ResourceCall, { id, matches, exact }: Selection): WatchFilter | undefined {
  if (!matches) return undefined;
  const { form } = registry;
  // As in lists: fields are those of the served version, and each item is decoded once, not once per watcher.
  return {
    id: `${form.apiVersion} ${form.definition.kind} ${id}`,
    matches: (item) => matches(form.object(item)),
    trigger: exact && {
      field: `${form.apiVersion} ${exact.field}`,
      value: exact.value,
      of: (item) => exact.of(form.object(item)),
    },
  };
}

async function create(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
  const { registry, info, request, options, warnings } = call;
  const { definition } = registry;
  const format = formatOf(call, 'object');
  const writeOptions = readWriteOptions(info.query, 'CreateOptions');
  const pending = readRequestBody(request, options.maxBodyBytes);
  const bytes = pending instanceof Uint8Array ? pending : await pending;
  const contentType = request.headers['content-type'];
  const body = readBodyObject(bytes, contentType, {
    kind: definition.kind,
    protobuf: options.protobuf,
    needsKind: definition.custom,
  });
  const { fieldValidation } = writeOptions;
  const isKnown = (kind: string): boolean => registry.services.knowsKind(definition, kind);
  const draft = decodeDraft(body, { definition, strategy, fieldValidation, warn: warnings.add, isKnown });
  const writeCall = writeCallOf(call, writeOptions);
  checkObjectKey(draft, definition, { namespace: writeCall.namespace, name: '' });
  const stored = await createObject(registry, draft, { call: writeCall, strategy });
  return objectResponse(registry.form, stored, { status: 201, format, include: includeOf(call), now: nowOf(call) });
}

async function update(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
  const { registry, info, request, options, warnings } = call;
  const { definition } = registry;
  const format = formatOf(call, 'object');
  const writeOptions = readWriteOptions(info.query, 'UpdateOptions');
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const contentType = request.headers['content-type'];
  const body = readBodyObject(bytes, contentType, {
    kind: definition.kind,
    protobuf: options.protobuf,
    needsKind: definition.custom,
  });
  const { fieldValidation } = writeOptions;
  const decode = (warn: (text: string) => void) => decodeDraft(body, { definition, strategy, fieldValidation, warn });
  let draft: ReturnType<typeof decode> | undefined = decode(warnings.add);
  const writeCall = upsertCallOf(call, writeOptions);
  checkObjectKey(draft, definition, writeCall);
  const { uid } = draft.metadata;
  const transform = (live: unknown): ReturnType<typeof decode> => {
    const mine = draft ?? decode(ignore);
    draft = undefined; // a retry needs a fresh draft, because this attempt modifies it
    checkObjectKey(mine, definition, writeCall);
    if (live === undefined) return mine;
    if (!mine.metadata.resourceVersion && strategy.allowUnconditionalUpdate) mine.metadata.resourceVersion = '0';
    return mine;
  };
  const { stored, created } = await updateObject(registry, transform, { call: writeCall, strategy, uid });
  const status = created ? 201 : 200;
  return objectResponse(registry.form, stored, { status, format, include: includeOf(call), now: nowOf(call) });
}

function ignore(): void {
  // Warnings were added when the body was first decoded.
}

async function patch(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
  const { registry, info, request, options } = call;
  const { definition } = registry;
  const format = formatOf(call, 'object');
  const type = patchTypeOf(mediaTypeOf(request.headers['content-type'] ?? 'none'), definition.custom);
  if (type === undefined) throw unsupportedPatch(definition.custom);
  const writeOptions = readWriteOptions(info.query, 'PatchOptions', { apply: type === 'apply' });
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const writeCall = upsertCallOf(call, writeOptions);
  const request_ = { type, bytes, options: writeOptions, strategy };
  const { stored, created } = await patchObject(registry, writeCall, request_);
  const status = created ? 201 : 200;
  return objectResponse(registry.form, stored, { status, format, include: includeOf(call), now: nowOf(call) });
}

/**
 * Builds the error for an unsupported patch type. Custom resources list the types they accept; for built-in kinds, upstream's
 * router does.
 */
function unsupportedPatch(custom: boolean): StatusError {
  if (custom) return unsupportedMediaType(Object.values(patchTypes).filter((type) => type !== patchTypes.strategic));
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: '415: Unsupported Media Type',
    reason: 'UnsupportedMediaType',
    details: {},
    code: 415,
  });
}

async function remove(call: ResourceCall): Promise<ApiResponse> {
  const { registry } = call;
  const format = formatOf(call, 'object');
  const deleteOptions = await readDeletion(call);
  const { dryRun } = deleteOptions;
  const writeCall = writeCallOf(call, { dryRun, fieldManager: '', deletion: deleteOptions });
  await registry.services.admission.mutate(
    registry.admissionAttributes(writeCall, { operation: 'DELETE', object: undefined, old: undefined }),
  );
  const { stored, status, immediate } = await deleteObject(registry, writeCall, deleteOptions);
  const code = !immediate && deleteOptions.orphanDependents === false ? 202 : 200;
  if (status) return statusResponse(code, status, format);
  if (stored === undefined) throw new Error('the deletion returned neither an object nor a status');
  return objectResponse(registry.form, stored, { status: code, format, include: includeOf(call), now: nowOf(call) });
}

function statusResponse(code: number, status: Status, format: OutputFormat): ApiResponse {
  return jsonResponse(code, Buffer.from(JSON.stringify(status)), format);
}
