import type { ApiResponse } from '../http/api-request.ts';
import { readBodyObject, readRequestBody } from '../negotiation/index.ts';
import { checkObjectKey, createObject, decodeDraft, readWriteOptions, type Strategy } from '../registry/index.ts';
import { objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, writeCallOf } from './resource-call.ts';

/** Creates an object. */
export async function createEndpoint(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
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
