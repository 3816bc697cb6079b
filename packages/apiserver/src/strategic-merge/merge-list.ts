import type { SchemaNode } from '@kubewright/schema/internal';
import { orderElements, partition } from './element-order.ts';
import { internal, noMergeKey, printGo, StrategicMergeError } from './strategic-merge-error.ts';

/** Key of the directive that deletes or replaces a map or an element. */
export const patchDirective = '$patch';

/** Merges a map of the patch into a map of the original object. */
export type MergeMap = (
  original: Record<string, unknown>,
  patch: Record<string, unknown>,
  schema: SchemaNode | undefined,
) => Record<string, unknown>;

/** Options for {@link mergeList}. */
export interface MergeListOptions {
  readonly field: SchemaNode | undefined;
  /** True if the patch lists the elements to delete. */
  readonly deletes: boolean;
  /** Merges elements with the same key. */
  readonly mergeMap: MergeMap;
}

/**
 * Merges a list of the patch into a list of the original object: objects by the list's merge key, scalars as a set.
 *
 * @throws {@link StrategicMergeError} if the elements are of different types, or have no merge key.
 */
export function mergeList(
  original: unknown[],
  patch: unknown[],
  { field, deletes, mergeMap }: MergeListOptions,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (elementKind(original, patch) !== 'object') {
    if (deletes) {
      const gone = new Set(patch);
      return original.filter((item) => !gone.has(item));
    }
    return orderElements(
      partition(dedupe([...original, ...patch]), patch, undefined),
      { patchOrder: patch, serverOrder: original },
      undefined,
    );
  }
  const mergeKey = field?.patchMergeKey;
  if (mergeKey === undefined) {
    throw internal(`cannot merge lists without merge key for ${field?.items?.typeName ?? 'Unknown'}`);
  }
  const { server, changes } = followElementDirectives(
    original as Record<string, unknown>[],
    patch as Record<string, unknown>[],
    mergeKey,
  ); // all elements are records
  const merged = mergeElements(server, changes, { mergeKey, items: field?.items, mergeMap });
  return orderElements(partition(merged, changes, mergeKey), { patchOrder: changes, serverOrder: server }, mergeKey);
}

/** Drops duplicates as upstream does: the last element of the list takes the place of each dropped element. */
function dedupe(list: unknown[]): unknown[] {
  let last = list.length - 1;
  for (let i = 0; i < last; i++) {
    for (let j = i + 1; j <= last; j++) {
      if (list[i] === list[j]) list[j--] = list[last--];
    }
  }
  return list.slice(0, last + 1);
}

function followElementDirectives(
  original: readonly Record<string, unknown>[],
  patch: readonly Record<string, unknown>[],
  mergeKey: string,
): { readonly server: Record<string, unknown>[]; readonly changes: Record<string, unknown>[] } {
  let server = [...original];
  const changes: Record<string, unknown>[] = [];
  let replace = false;
  for (const element of patch) {
    if (!Object.hasOwn(element, patchDirective)) {
      changes.push(element);
      continue;
    }
    const directive = element[patchDirective];
    if (directive === 'delete') {
      if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey);
      server = server.filter((item) => item[mergeKey] !== element[mergeKey]);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw internal('merging lists cannot yet be specified in the patch');
    } else {
      throw internal(`unknown patch type: ${printGo(directive)} in map: ${printGo(element)}`);
    }
  }
  return replace ? { server: changes, changes: [] } : { server, changes };
}

function mergeElements(
  server: readonly Record<string, unknown>[],
  changes: readonly Record<string, unknown>[],
  {
    mergeKey,
    items,
    mergeMap,
  }: { readonly mergeKey: string; readonly items: SchemaNode | undefined; readonly mergeMap: MergeMap },
): Record<string, unknown>[] {
  const merged = [...server];
  const at = new Map<unknown, number>();
  merged.forEach((element, i) => {
    if (!at.has(element[mergeKey])) at.set(element[mergeKey], i);
  });
  for (const change of changes) {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const i = at.get(change[mergeKey]);
    if (i === undefined) {
      at.set(change[mergeKey], merged.length);
      merged.push(change);
    } else {
      merged[i] = mergeMap(merged[i] as Record<string, unknown>, change, items); // `at` only has indexes of this list
    }
  }
  return merged;
}

/**
 * Returns the JSON type of all elements of the lists.
 *
 * @throws {@link StrategicMergeError} if the lists are empty, or the types differ.
 */
export function elementKind(...lists: readonly (readonly unknown[])[]): string {
  let kind: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const current = kindOf(item);
      if (kind === undefined && current === 'array') {
        throw new StrategicMergeError('lists of lists are not supported', 422);
      }
      if (kind !== undefined && kind !== current) {
        throw internal(`list element types are not identical: ${printGo(lists)}`);
      }
      kind = current;
    }
  }
  if (kind === undefined) throw internal('no elements in any of the given slices');
  return kind;
}

/** Returns the JSON type of a value. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}
