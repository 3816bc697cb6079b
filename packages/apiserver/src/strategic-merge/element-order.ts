import { isRecord } from '@kubewright/schema/internal';
import { internal, noMergeKey } from './strategic-merge-error.ts';

/** Returns the identity of an element: the value of its merge key, or the element itself in lists of scalars. */
export function identify(element: unknown, mergeKey: string | undefined): unknown {
  return mergeKey === undefined ? element : isRecord(element) ? element[mergeKey] : undefined;
}

/** Splits elements into elements named in the patch and elements that only the server has. */
export function partition(
  elements: readonly unknown[],
  named: readonly unknown[],
  mergeKey: string | undefined,
): { readonly inPatch: unknown[]; readonly serverOnly: unknown[] } {
  const odd = mergeKey === undefined ? -1 : named.findIndex((element) => !isRecord(element));
  if (odd >= 0 && elements.length > 0) throw internal(`value for key ${odd} is not a map`);
  const names = new Set(named.map((element) => identify(element, mergeKey)));
  const inPatch: unknown[] = [];
  const serverOnly: unknown[] = [];
  for (const element of elements) {
    requireKey(element, mergeKey);
    (names.has(identify(element, mergeKey)) ? inPatch : serverOnly).push(element);
  }
  return { inPatch, serverOnly };
}

/** Throws if an element of a merged list lacks the merge key. */
export function requireKey(element: unknown, mergeKey: string | undefined): void {
  if (mergeKey !== undefined && (!isRecord(element) || !Object.hasOwn(element, mergeKey))) {
    throw noMergeKey(element, mergeKey);
  }
}

/**
 * Orders a merged list: the patch's elements in the patch's order, the server's own elements in the server's order. Two
 * elements of different sequences are compared by the server's order if it contains both; otherwise the patch's element
 * comes first.
 */
export function orderElements(
  parts: { readonly inPatch: readonly unknown[]; readonly serverOnly: readonly unknown[] },
  orders: { readonly patchOrder: readonly unknown[]; readonly serverOrder: readonly unknown[] },
  mergeKey: string | undefined,
): unknown[] {
  const serverPlaces = places(orders.serverOrder, mergeKey);
  const left = sortBy(parts.serverOnly, serverPlaces, mergeKey);
  const right = sortBy(parts.inPatch, places(orders.patchOrder, mergeKey), mergeKey);
  const result: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const l = serverPlaces.get(identify(left[i], mergeKey));
    const r = serverPlaces.get(identify(right[j], mergeKey));
    if (l !== undefined && r !== undefined && l < r) result.push(left[i++]);
    else result.push(right[j++]);
  }
  return [...result, ...right.slice(j), ...left.slice(i)];
}

function places(order: readonly unknown[], mergeKey: string | undefined): ReadonlyMap<unknown, number> {
  const result = new Map<unknown, number>();
  order.forEach((element, i) => {
    requireKey(element, mergeKey);
    const key = identify(element, mergeKey);
    if (!result.has(key)) result.set(key, i);
  });
  return result;
}

/**
 * Sorts elements. Deliberately an insertion sort: upstream's comparison is inconsistent for elements that are not in `order`, so
 * the algorithm affects the result.
 */
function sortBy(
  elements: readonly unknown[],
  order: ReadonlyMap<unknown, number>,
  mergeKey: string | undefined,
): unknown[] {
  const sorted = [...elements];
  const before = (a: unknown, b: unknown): boolean => {
    const i = order.get(identify(a, mergeKey));
    const j = order.get(identify(b, mergeKey));
    return i === undefined || j === undefined || i < j;
  };
  for (let i = 1; i < sorted.length; i++) {
    for (let j = i; j > 0 && before(sorted[j], sorted[j - 1]); j--) {
      [sorted[j], sorted[j - 1]] = [sorted[j - 1], sorted[j]];
    }
  }
  return sorted;
}
