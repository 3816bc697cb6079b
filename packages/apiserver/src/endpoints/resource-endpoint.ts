import { notFound, StatusError } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, pathNotFound } from '../http/failures.ts';
import { acceptsServedType } from '../negotiation/index.ts';
import type { ComputedResource, ResourceDefinition, StatusSubresource, Strategy } from '../registry/index.ts';
import { computedEndpoint, computedPage } from './computed-endpoint.ts';
import { computedWrites } from './computed-writes.ts';
import { connect } from './connect-endpoint.ts';
import { createEndpoint } from './create-endpoint.ts';
import { deleteCollection } from './delete-collection.ts';
import { deleteEndpoint } from './delete-endpoint.ts';
import { pageNotFound } from './page-not-found.ts';
import { patchEndpoint } from './patch-endpoint.ts';
import { proxyEndpoint } from './proxy-endpoint.ts';
import { getEndpoint, listEndpoint } from './read-endpoint.ts';
import type { ResourceCall } from './resource-call.ts';
import { scaleEndpoint } from './scale-endpoint.ts';
import { updateEndpoint } from './update-endpoint.ts';
import { createVirtual } from './virtual-endpoint.ts';
import { watchEndpoint } from './watch-endpoint.ts';

/**
 * Handles a request for a resource.
 *
 * @throws StatusError the API's error response
 */
export async function resourceEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { info, registry, request } = call;
  const { definition } = registry;
  if (definition.deprecation !== undefined && acceptsServedType(request.headers, { codec: call.options.protobuf })) {
    call.warnings.add(definition.deprecation);
  }
  if (definition.custom && isOutOfScope(call)) return pageNotFound;
  checkScope(call);
  checkMethod(call);
  if (info.subresource !== '') return subresourceEndpoint(call);
  if (definition.virtual) return createVirtual(call, definition.virtual);
  const allowed = definition.verbs.includes(info.verb);
  const onItem = info.pathName !== '';
  // The path of a watch may end with a name: `/api/v1/watch/nodes/n`.
  const suitsPath = info.verb === 'watch' || onItem === itemVerbs.has(info.verb);
  if (!allowed || !suitsPath) throw methodNotSupported();
  if (definition.computed) return computed(call, definition.computed);
  return mainEndpoint(call, definition.strategy);
}

function computed(call: ResourceCall, handlers: ComputedResource): Promise<ApiResponse> {
  const { verb } = call.info;
  if (!['update', 'patch', 'delete', 'deletecollection'].includes(verb)) return computedEndpoint(call, handlers);
  const writes = computedWrites(call, handlers);
  if (verb === 'deletecollection') return deleteCollection(writes, () => computedPage(call, handlers));
  return mainEndpoint(writes, writes.registry.definition.strategy);
}

const itemVerbs = new Set(['get', 'update', 'patch', 'delete']);

/** Rejects HEAD, which upstream routes for custom resources only, and watches with a method other than GET. */
function checkMethod({ info, request, registry }: ResourceCall): void {
  const isRouted = request.method !== 'HEAD' || registry.definition.custom === true || info.subresource === 'proxy';
  if (!isRouted || (info.verb === 'watch' && request.method !== 'GET' && request.method !== 'HEAD')) {
    throw methodNotSupported();
  }
}

/** Reports whether the path has the wrong scope; upstream's server for custom resources does not route these paths. */
function isOutOfScope({ info, registry }: ResourceCall): boolean {
  if (registry.definition.scope === 'Cluster') return info.namespace !== '';
  return info.namespace === '' && info.pathName !== '';
}

function checkScope({ info, registry }: ResourceCall): void {
  const { definition } = registry;
  if (definition.scope === 'Cluster') {
    // For a Namespace object, the request's namespace is the object's own name, but the path is not inside a namespace.
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
      return getEndpoint(call);
    case 'list':
      return listEndpoint(call);
    case 'watch':
      return watchEndpoint(call);
    case 'create':
      return createEndpoint(call, strategy);
    case 'update':
      return updateEndpoint(call, strategy);
    case 'patch':
      return patchEndpoint(call, strategy);
    case 'delete':
      return deleteEndpoint(call);
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
  const { behavior } = definition;
  if (behavior.type === 'connect') {
    const { computed: handlers } = registry.definition;
    return connect(handlers ? computedWrites(call, handlers) : call, definition, behavior);
  }
  if (behavior.type === 'proxy') return proxyEndpoint(call, definition, behavior);
  if (info.remainder.length > 0) throw pathNotFound();
  if (!definition.verbs.includes(info.verb)) throw unsupportedVerb(call);
  if (behavior.type === 'scale') return scaleEndpoint(call, behavior);
  return mainEndpoint(call, statusStrategy(behavior, registry.definition));
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

/**
 * Returns the strategy for status updates. These updates never create the object. They may omit the resourceVersion if
 * updates of the main resource may omit it.
 */
function statusStrategy({ strategy }: StatusSubresource, { strategy: main }: ResourceDefinition): Strategy {
  return {
    ...strategy,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: main.allowUnconditionalUpdate,
  };
}
