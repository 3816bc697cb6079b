import { stringifyJson } from '@kubewright/apimachinery/internal';
import type { ApiResponse } from '../http/api-request.ts';
import { methodNotSupported, pathNotFound } from '../http/failures.ts';
import { readBodyObject, readRequestBody } from '../negotiation/index.ts';
import { checkObjectKey, decodeDraft, readWriteOptions, type VirtualResource } from '../registry/index.ts';
import { jsonResponse } from './object-response.ts';
import { formatOf, namespaceOf, type ResourceCall, writeCallOf } from './resource-call.ts';

/** Handles a POST to a resource that is never stored, such as a review. */
export async function createVirtual(call: ResourceCall, virtual: VirtualResource): Promise<ApiResponse> {
  const { registry, info, request, options, user, warnings } = call;
  const { definition } = registry;
  if (info.pathName !== '') throw pathNotFound();
  if (info.verb !== 'create') throw methodNotSupported();
  const format = formatOf(call, undefined, { table: false });
  const writeOptions = readWriteOptions(info.query, 'CreateOptions');
  const bytes = await readRequestBody(request, options.maxBodyBytes);
  const body = readBodyObject(bytes, request.headers['content-type'], {
    kind: definition.kind,
    protobuf: options.protobuf,
  });
  const { fieldValidation, dryRun } = writeOptions;
  const { strategy } = definition;
  const object = decodeDraft(body, { definition, strategy, fieldValidation, warn: warnings.add });
  const namespace = namespaceOf(call);
  checkObjectKey(object, definition, { namespace, name: '' });
  const writeCall = writeCallOf(call, writeOptions);
  const attributes = registry.admissionAttributes(writeCall, { operation: 'CREATE', object, old: undefined });
  await registry.services.admission.mutate(attributes);
  await registry.services.admission.validate(attributes);
  const result = await virtual.create({ object, user, namespace, dryRun });
  return jsonResponse(201, Buffer.from(stringifyJson(result)), format);
}
