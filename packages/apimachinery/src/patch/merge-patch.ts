import { KubewrightError } from '../errors/kubewright-error.ts';
import { sameJson } from '../json/same-json.ts';
import { type Container, isContainer, setOwn } from './json-pointer.ts';

/**
 * Thrown for a merge patch that is nested too deeply to be applied.
 *
 * @example
 * ```ts
 * function patched(object: unknown, patch: unknown): unknown {
 *   try {
 *     return applyMergePatch(object, patch);
 *   } catch (error) {
 *     if (error instanceof MergePatchError) console.error(error.message); // nested too deeply
 *     throw error;
 *   }
 * }
 * ```
 */
export class MergePatchError extends KubewrightError {
  override readonly name = 'MergePatchError';
  readonly code = 'KW1051';
}

/** Maximum nesting: deeper than any object that the API accepts, far below the depth that overflows the stack. */
const maxDepth = 1000;

/**
 * Applies a JSON merge patch (RFC 7386) and returns the new document. The original is not changed, unchanged parts are
 * shared, and a patch that changes nothing returns the document itself. Fields named `__proto__` are ordinary data. A list that
 * replaces anything but an object loses the nulls in its objects, as in the API server (1.36); RFC 7386 keeps them.
 *
 * @throws {@link MergePatchError} for a patch that is nested too deeply.
 *
 * @example
 * ```ts
 * const changed = applyMergePatch({ a: 1, b: 2 }, { b: null }); // { a: 1 }
 * ```
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  return merge(document, { patch, depth: 0 });
}

function merge(document: unknown, { patch, depth }: { readonly patch: unknown; readonly depth: number }): unknown {
  checkDepth(depth);
  if (!isObject(patch)) return patch;
  const old = isObject(document) ? document : undefined;
  let result: Container | undefined;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    const present = old !== undefined && Object.hasOwn(old, key);
    const before = present ? old[key] : undefined;
    if (change === null) {
      if (!present) continue;
      result ??= copyOf(old);
      delete result[key];
      continue;
    }
    const after = Array.isArray(change)
      ? listOf(change, { replaced: before, depth: depth + 1 })
      : merge(before, { patch: change, depth: depth + 1 });
    if (present && after === before) continue;
    result ??= copyOf(old);
    setOwn(result, { key, value: after });
  }
  return result ?? old ?? {};
}

function listOf(
  list: readonly unknown[],
  { replaced, depth }: { readonly replaced: unknown; readonly depth: number },
): readonly unknown[] {
  return isObject(replaced) ? list : (pruned(list, depth) as readonly unknown[]);
}

/** Removes the null fields of objects, at any depth; keeps the null elements of lists. */
function pruned(value: unknown, depth: number): unknown {
  checkDepth(depth);
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  if (!isObject(value)) return value;
  const result: Container = {};
  for (const key of Object.keys(value)) {
    if (value[key] !== null) setOwn(result, { key, value: pruned(value[key], depth + 1) });
  }
  return result;
}

function checkDepth(depth: number): void {
  if (depth <= maxDepth) return;
  const why = `the patch is nested deeper than ${maxDepth} levels`;
  throw new MergePatchError({ what: 'cannot apply the merge patch', why });
}

function copyOf(old: Container | undefined): Container {
  const copy: Container = {};
  if (old !== undefined) for (const key of Object.keys(old)) setOwn(copy, { key, value: old[key] });
  return copy;
}

/**
 * Creates the merge patch that turns one document into another. Lists are replaced as a whole. A merge patch cannot set
 * null, so a null in `modified` becomes an absent field.
 *
 * @example
 * ```ts
 * const body = createMergePatch({ replicas: 1 }, { replicas: 3 });
 * ```
 */
export function createMergePatch(original: unknown, modified: unknown): unknown {
  if (!isObject(original) || !isObject(modified)) return modified;
  const patch: Container = {};
  for (const key of Object.keys(original)) {
    if (!Object.hasOwn(modified, key)) setOwn(patch, { key, value: null });
  }
  for (const key of Object.keys(modified)) {
    const before = Object.hasOwn(original, key) ? original[key] : undefined;
    const value = modified[key];
    if (isObject(before) && isObject(value)) {
      const below = createMergePatch(before, value);
      if (isObject(below) && Object.keys(below).length > 0) setOwn(patch, { key, value: below });
    } else if (!sameJson(before, value)) setOwn(patch, { key, value });
  }
  return patch;
}

function isObject(value: unknown): value is Container {
  return isContainer(value) && !Array.isArray(value);
}
