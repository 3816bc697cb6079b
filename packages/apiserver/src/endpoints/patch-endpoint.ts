import { StatusError } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import { unsupportedMediaType } from '../http/failures.ts';
import { mediaTypeOf, readRequestBody } from '../negotiation/index.ts';
import { patchObject, patchTypeOf, patchTypes, readWriteOptions, type Strategy } from '../registry/index.ts';
import { objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, upsertCallOf } from './resource-call.ts';

/** Patches or applies an object. */
export async function patchEndpoint(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
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
 * Builds the error for an unsupported patch type. For custom resources, the message lists the supported types. For
 * built-in kinds, the message is the fixed message of upstream's router.
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
