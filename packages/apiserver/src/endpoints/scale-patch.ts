import { applyMergePatch, badRequest } from '@kubewright/apimachinery';
import { BodyReadError, parseYaml } from '@kubewright/schema';
import type { SchemaNode } from '@kubewright/schema/internal';
import { applyTypeOf } from '../apply/apply-type.ts';
import { checkApplied } from '../apply/check-applied.ts';
import { unknownFailure } from '../http/failures.ts';
import { applyPatchBody, type PatchType, readPatchBody } from '../registry/patch-body.ts';

/** Patches a Scale. Its fields are few and plain, so strategic merge and apply are equivalent to a merge patch. */
export function applyScalePatch(
  scale: object,
  parts: { readonly type: PatchType | undefined; readonly bytes: Uint8Array; readonly schema: SchemaNode },
): unknown {
  const { type, bytes } = parts;
  if (type === 'json' || type === 'merge') {
    return applyPatchBody(scale, { type, patch: readPatchBody(type, bytes).value, schema: { type: 'any' } });
  }
  if (type === 'strategic') return applyMergePatch(scale, readPatchBody(type, bytes).value);
  try {
    const { value } = parseYaml(bytes);
    checkConfiguration(value, parts.schema);
    return applyMergePatch(scale, value);
  } catch (error) {
    if (error instanceof BodyReadError) throw badRequest(`error decoding YAML: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Rejects a configuration that does not match the schema with upstream's error (500). */
function checkConfiguration(value: unknown, schema: SchemaNode): void {
  const fault = checkApplied(applyTypeOf(schema, { typed: true }), value);
  if (fault === undefined) return;
  const { metadata } = (value ?? {}) as { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
  const object = `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}; autoscaling/v1, Kind=Scale`;
  throw unknownFailure(`failed to create typed patch object (${object}): ${fault}`);
}
