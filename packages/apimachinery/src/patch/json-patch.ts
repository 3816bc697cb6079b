import { sameJson } from '../json/same-json.ts';
import { stringifyJson } from '../json/stringify-json.ts';
import { isContainer, JsonPatchError, removeAt, type Target, valueAt, writeAt } from './json-pointer.ts';

/**
 * One step of a JSON patch (RFC 6902); paths are JSON pointers (RFC 6901).
 *
 * @example
 * ```ts
 * const pause: readonly JsonPatchOperation[] = [
 *   { op: 'test', path: '/spec/paused', value: false },
 *   { op: 'replace', path: '/spec/paused', value: true },
 * ];
 * const paused = applyJsonPatch({ spec: { paused: false } }, pause);
 * ```
 */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

/** An operation whose fields have not been checked. */
interface UncheckedOperation {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** Limits of {@link applyJsonPatch}; the defaults match the API server. */
export interface JsonPatchLimits {
  /** @defaultValue 10000 */
  readonly maxOperations?: number;
  /** Maximum bytes of JSON that all `copy` operations together may add. @defaultValue 3 MiB */
  readonly maxCopiedBytes?: number;
}

/**
 * Applies a JSON patch and returns the new document. The original is not changed, and unchanged parts are shared.
 *
 * Mirrors evanphx/json-patch v4 as the API server uses it: negative indexes count from the end, and `replace` of a missing
 * field adds it. A field named `__proto__` is ordinary data.
 *
 * @throws {@link JsonPatchError}: `malformed` (respond with 400), `tooLarge` (413) or `failed` (422, also for `test`).
 *
 * @example
 * ```ts
 * const changed = applyJsonPatch({ a: 1 }, [{ op: 'replace', path: '/a', value: 2 }]);
 * ```
 */
export function applyJsonPatch(document: unknown, patch: unknown, limits: JsonPatchLimits = {}): unknown {
  const { maxOperations = 10_000, maxCopiedBytes = 3 * 1024 * 1024 } = limits;
  const operations = checkPatch(patch);
  if (operations.length > maxOperations) {
    throw new JsonPatchError(
      { what: `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}` },
      { kind: 'tooLarge' },
    );
  }
  const state: State = { document, owned: new WeakSet(), copied: 0, maxCopiedBytes };
  for (const operation of operations) apply(state, operation);
  return state.document;
}

interface State extends Target {
  copied: number;
  readonly maxCopiedBytes: number;
}

function checkPatch(patch: unknown): readonly UncheckedOperation[] {
  if (!Array.isArray(patch)) throw malformed(patch);
  for (const operation of patch) {
    if (typeof operation !== 'object' || operation === null || Array.isArray(operation)) {
      throw new JsonPatchError({ what: 'each operation of a JSON patch must be an object' }, { kind: 'malformed' });
    }
  }
  return patch as readonly UncheckedOperation[]; // all elements are objects; each field is checked when it is read
}

/** Uses the API server's message, which comes from Go. */
function malformed(patch: unknown): JsonPatchError {
  const kind = patch === null ? 'null' : typeof patch === 'boolean' ? 'bool' : typeof patch;
  const message = `error decoding patch: json: cannot unmarshal ${kind} into Go value of type []handlers.jsonPatchOp`;
  return new JsonPatchError({ what: message }, { kind: 'malformed' });
}

function apply(state: State, operation: UncheckedOperation): void {
  switch (operation.op) {
    case 'add':
      writeAt(state, { path: pathOf(operation, 'path'), value: operandOf(operation), insert: true, operation: 'add' });
      return;
    case 'remove':
      removeAt(state, { path: pathOf(operation, 'path'), operation: 'remove' });
      return;
    case 'replace':
      writeAt(state, {
        path: pathOf(operation, 'path'),
        value: operandOf(operation),
        insert: false,
        operation: 'replace',
      });
      return;
    case 'move':
      move(state, operation);
      return;
    case 'copy':
      copy(state, operation);
      return;
    case 'test':
      test(state, operation);
      return;
    default: {
      const { op } = operation as { readonly op?: unknown };
      // String() throws for an object with a field called toString.
      const shown = typeof op === 'object' ? stringifyJson(op) : String(op);
      throw new JsonPatchError({ what: `Unexpected kind: ${shown}` });
    }
  }
}

function move(state: State, operation: UncheckedOperation): void {
  const from = pathOf(operation, 'from');
  const path = pathOf(operation, 'path');
  const value = valueAt(state.document, { path: from, operation: 'move' });
  removeAt(state, { path: from, operation: 'move' });
  writeAt(state, { path, value, insert: true, operation: 'move' });
}

function copy(state: State, operation: UncheckedOperation): void {
  const value = valueAt(state.document, { path: pathOf(operation, 'from'), operation: 'copy' });
  // Values are shared, not copied; the budget bounds the size of the serialized document.
  state.copied += stringifyJson(value ?? null).length;
  if (state.copied > state.maxCopiedBytes) {
    throw new JsonPatchError({
      what: `Unable to complete the copy, the accumulated size increase of copy is ${state.copied}, exceeding the limit ${state.maxCopiedBytes}`,
    });
  }
  if (isContainer(value)) share(state, value);
  writeAt(state, { path: pathOf(operation, 'path'), value, insert: true, operation: 'copy' });
}

/** Marks a value as shared: a value that occurs in two places must not be changed in place. */
function share(state: State, value: object): void {
  const pending: object[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!state.owned.has(next)) continue;
    state.owned.delete(next);
    for (const child of Object.values(next)) if (isContainer(child)) pending.push(child);
  }
}

function test(state: State, operation: UncheckedOperation): void {
  const path = pathOf(operation, 'path');
  const actual = valueAt(state.document, { path, operation: 'test', missing: 'null' });
  if (!sameJson(actual ?? null, operation.value ?? null)) {
    throw new JsonPatchError({ what: `testing value ${path} failed: test failed` });
  }
}

function pathOf(operation: UncheckedOperation, field: 'path' | 'from'): string {
  const path = Object.hasOwn(operation, field) ? operation[field] : undefined;
  if (typeof path === 'string') return path;
  throw new JsonPatchError({ what: `${operation.op} operation failed to decode ${field}: missing value` });
}

function operandOf(operation: UncheckedOperation): unknown {
  return Object.hasOwn(operation, 'value') ? operation.value : null;
}
