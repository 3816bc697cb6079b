import { applyMergePatch, badRequest } from '@kubewright/apimachinery';
import { BodyReadError, parseYaml } from '@kubewright/schema';
import { applyPatchBody, type PatchType, readPatchBody } from '../registry/patch-body.ts';

/** Patches a Scale. Its fields are few and plain, so strategic merge and apply are equivalent to a merge patch. */
export function applyScalePatch(
  scale: object,
  { type, bytes }: { readonly type: PatchType | undefined; readonly bytes: Uint8Array },
): unknown {
  if (type === 'json' || type === 'merge') {
    return applyPatchBody(scale, { type, patch: readPatchBody(type, bytes).value, schema: { type: 'any' } });
  }
  if (type === 'strategic') return applyMergePatch(scale, readPatchBody(type, bytes).value);
  try {
    return applyMergePatch(scale, parseYaml(bytes).value);
  } catch (error) {
    if (error instanceof BodyReadError) throw badRequest(`error decoding YAML: ${error.message}`, { cause: error });
    throw error;
  }
}
