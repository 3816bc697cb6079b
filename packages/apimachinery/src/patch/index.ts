export { createJsonPatch } from './create-json-patch.ts';
export { applyJsonPatch, type JsonPatchLimits, type JsonPatchOperation } from './json-patch.ts';
export { JsonPatchError, type JsonPatchFault } from './json-pointer.ts';
export { applyMergePatch, createMergePatch, MergePatchError } from './merge-patch.ts';
export { sameJson } from './same-json.ts';
