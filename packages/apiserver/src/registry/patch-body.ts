import {
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  JsonPatchError,
  MergePatchError,
  StatusError,
} from '@kubewright/apimachinery';
import type { JsonObject } from '@kubewright/apimachinery/internal';
import { BodyReadError, type ParsedBody, parseJson } from '@kubewright/schema';
import type { SchemaNode } from '@kubewright/schema/internal';
import { requestEntityTooLarge } from '../http/failures.ts';
import { StrategicMergeError } from '../strategic-merge/strategic-merge-error.ts';
import { strategicMergePatch } from '../strategic-merge/strategic-merge-patch.ts';

/** The media types of patches. */
export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** One of {@link patchTypes}. */
export type PatchType = keyof typeof patchTypes;

/** Returns the patch type of a media type. @returns `undefined` if the resource does not accept the media type */
export function patchTypeOf(mediaType: string, custom: boolean): PatchType | undefined {
  for (const [type, name] of Object.entries(patchTypes)) {
    if (name === mediaType) return custom && type === 'strategic' ? undefined : (type as PatchType);
  }
  return undefined;
}

/**
 * Reads the body of a patch other than apply.
 *
 * @throws StatusError 400 with upstream's message, which depends on the type
 */
export function readPatchBody(type: PatchType, bytes: Uint8Array): ParsedBody {
  const prefix = type === 'strategic' ? '' : 'error decoding patch: ';
  let body: ParsedBody;
  try {
    body = parseJson(bytes);
  } catch (error) {
    if (error instanceof BodyReadError) throw badRequest(prefix + error.message, { cause: error });
    throw error;
  }
  const { value } = body;
  if (type === 'json') {
    checkOperations(value, prefix);
    return body;
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return body;
  if (type === 'merge' && value === null) throw badRequest('Invalid JSON Patch');
  throw badRequest(`${prefix}json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
}

function checkOperations(value: unknown, prefix: string): void {
  const rejection = (found: unknown, type: string): StatusError =>
    badRequest(`${prefix}json: cannot unmarshal ${goKind(found)} into Go value of type ${type}`);
  if (!Array.isArray(value)) throw rejection(value, '[]handlers.jsonPatchOp');
  for (const operation of value as readonly unknown[]) {
    if (operation === null) throw rejected();
    if (typeof operation !== 'object' || Array.isArray(operation)) throw rejection(operation, 'handlers.jsonPatchOp');
  }
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : value === null ? 'null' : typeof value;
}

/**
 * Applies a patch body. Strategic merge patches follow `schema`.
 *
 * @throws StatusError 400, 413, 422 or 500, as in upstream
 */
export function applyPatchBody(
  document: object,
  { type, patch, schema }: { readonly type: PatchType; readonly patch: unknown; readonly schema: SchemaNode },
): unknown {
  try {
    if (type === 'json') return applyJsonPatch(document, patch);
    if (type === 'merge') return applyMergePatch(document, patch);
    return strategicMergePatch(document as JsonObject, patch as JsonObject, schema); // checked by readPatchBody
  } catch (error) {
    if (error instanceof JsonPatchError) throw jsonPatchFailure(error);
    if (error instanceof MergePatchError) throw badRequest(error.message, { cause: error });
    if (error instanceof StrategicMergeError) throw strategicFailure(error);
    throw error;
  }
}

function jsonPatchFailure(error: JsonPatchError): StatusError {
  if (error.kind === 'malformed') return badRequest(`error decoding patch: ${error.message}`, { cause: error });
  if (error.kind === 'tooLarge') return requestEntityTooLarge(error.message);
  return rejected(error);
}

/** Builds upstream's generic error for a rejected patch, whose details are empty. */
function rejected(cause?: unknown): StatusError {
  return new StatusError(
    {
      ...failure,
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    },
    { cause },
  );
}

function strategicFailure(error: StrategicMergeError): StatusError {
  const { message, httpStatus } = error;
  if (httpStatus === 400) return badRequest(message, { cause: error });
  const reason = httpStatus === 422 ? ({ reason: 'Invalid' } as const) : {};
  return new StatusError({ ...failure, message, ...reason, code: httpStatus }, { cause: error });
}

const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const;
