import type { ApiResponse } from '../http/api-request.ts';
import { getObject, listObjects, readListOptions, readSelection } from '../registry/index.ts';
import { listResponse, objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, readCallOf } from './resource-call.ts';

/** Serves one object. */
export async function getEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'object');
  const resourceVersion = info.query.size === 0 ? '' : (info.query.get('resourceVersion') ?? '');
  const stored = await getObject(registry, readCallOf(call), resourceVersion);
  return objectResponse(registry.form, stored, { status: 200, format, include: includeOf(call), now: nowOf(call) });
}

/** Serves a list, or a page of it. */
export async function listEndpoint(call: ResourceCall): Promise<ApiResponse> {
  const { registry, info } = call;
  const format = formatOf(call, 'list');
  const options = readListOptions(info.query, 'list');
  const selection = readSelection(options, registry.definition);
  const page = await listObjects(registry, readCallOf(call), { options, selection });
  return listResponse(registry.form, page, { format, include: includeOf(call), clock: registry.services.clock });
}
