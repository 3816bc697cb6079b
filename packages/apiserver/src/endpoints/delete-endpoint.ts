import type { Status } from '@kubewright/apimachinery';
import type { ApiResponse } from '../http/api-request.ts';
import type { OutputFormat } from '../negotiation/index.ts';
import { deleteObject } from '../registry/index.ts';
import { jsonResponse, objectResponse } from './object-response.ts';
import { formatOf, includeOf, nowOf, type ResourceCall, readDeletion, writeCallOf } from './resource-call.ts';

/** Deletes an object. */
export async function deleteEndpoint(call: ResourceCall): Promise<ApiResponse> {
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
