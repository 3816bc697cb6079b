import { sameJson } from '../json/same-json.ts';
import type { JsonPatchOperation } from './json-patch.ts';

/**
 * Creates a JSON patch (RFC 6902) that turns `original` into `modified`; empty if they are equal as JSON.
 *
 * Fields that are `undefined` count as missing, as in `JSON.stringify`. Lists keep their common prefix and suffix; the
 * elements in between are changed in place, removed or added. Recurses once per level of nesting, so the caller must
 * bound the depth of the documents.
 *
 * @example
 * ```ts
 * createJsonPatch({ a: 1, 'b/c': [] }, { a: 2, 'b/c': ['x'] });
 * // [{ op: 'replace', path: '/a', value: 2 }, { op: 'add', path: '/b~1c/0', value: 'x' }]
 * ```
 */
export function createJsonPatch(original: unknown, modified: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare({ path: '', operations }, { from: original, to: modified });
  return operations;
}

interface Place {
  readonly path: string;
  readonly operations: JsonPatchOperation[];
}

interface Pair<T> {
  readonly from: T;
  readonly to: T;
}

function compare({ path, operations }: Place, { from, to }: Pair<unknown>): void {
  if (from === to) return;
  if (Array.isArray(from) && Array.isArray(to)) compareLists({ path, operations }, { from, to });
  else if (isPlain(from) && isPlain(to)) compareObjects({ path, operations }, { from, to });
  else operations.push({ op: 'replace', path, value: to ?? null });
}

function compareObjects({ path, operations }: Place, { from, to }: Pair<Readonly<Record<string, unknown>>>): void {
  for (const key of Object.keys(from)) {
    if (!isSet(from, key)) continue;
    const below = `${path}/${escaped(key)}`;
    if (isSet(to, key)) compare({ path: below, operations }, { from: from[key], to: to[key] });
    else operations.push({ op: 'remove', path: below });
  }
  for (const key of Object.keys(to)) {
    if (isSet(to, key) && !isSet(from, key))
      operations.push({ op: 'add', path: `${path}/${escaped(key)}`, value: to[key] });
  }
}

function compareLists({ path, operations }: Place, { from, to }: Pair<readonly unknown[]>): void {
  let start = 0;
  while (start < from.length && start < to.length && sameJson(from[start], to[start])) start++;
  let end = 0;
  const max = Math.min(from.length, to.length) - start;
  while (end < max && sameJson(from[from.length - 1 - end], to[to.length - 1 - end])) end++;
  const [oldEnd, newEnd] = [from.length - end, to.length - end];
  const both = Math.min(oldEnd, newEnd);
  for (let i = start; i < both; i++) compare({ path: `${path}/${i}`, operations }, { from: from[i], to: to[i] });
  // Removes from last to first, because removing an element shifts the elements after it.
  for (let i = oldEnd - 1; i >= both; i--) operations.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = both; i < newEnd; i++) operations.push({ op: 'add', path: `${path}/${i}`, value: to[i] ?? null });
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks own fields only, because a field named `__proto__` is ordinary data. */
function isSet(object: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(object, key) && object[key] !== undefined;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
