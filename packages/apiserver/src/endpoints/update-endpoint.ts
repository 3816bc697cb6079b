import type { ApiResponse } from '../http/api-request.ts';
import { readBodyObject, readRequestBody } from '../negotiation/index.ts';
import { checkObjectKey, decodeDraft, readWriteOptions, type Strategy, updateObject } from '../registry/index.ts';
import { objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, upsertCallOf } from './resource-call.ts';

/** Replaces an object, or creates it if its kind allows that. */
export async function updateEndpoint(call: ResourceCall, strategy: Strategy): Promise<ApiResponse> {
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
