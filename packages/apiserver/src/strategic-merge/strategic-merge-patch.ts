import type { SchemaNode } from '@kubewright/schema/internal';
import { deepCopy, isRecord, setOwn } from '@kubewright/schema/internal';
import { identify, orderElements, partition, requireKey } from './element-order.ts';
import { elementKind, kindOf, mergeList, patchDirective } from './merge-list.ts';
import { badFormat, internal, printGo, wrongKind } from './strategic-merge-error.ts';

const retainKeysDirective = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

/**
 * Applies a strategic merge patch as the API server does (1.36): lists with a merge key are merged by that key, other
 * lists are replaced; null deletes; `$patch: delete | replace`, `$retainKeys`, `$setElementOrder/<list>` and
 * `$deleteFromPrimitiveList/<list>` are supported. Built-in kinds only; for custom resources the API server responds
 * with 415.
 *
 * The inputs are not changed, and the result shares no structure with the inputs.
 *
 * @throws {@link StrategicMergeError} with the response code.
 */
export function strategicMergePatch(
  original: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  schema: SchemaNode,
): Record<string, unknown> {
  return mergeMap(deepCopy(original) as Record<string, unknown>, deepCopy(patch) as Record<string, unknown>, schema); // copies of records are records
}

function mergeMap(
  original: Record<string, unknown>,
  patch: Record<string, unknown>,
  schema: SchemaNode | undefined,
): Record<string, unknown> {
  if (Object.hasOwn(patch, patchDirective)) return followDirective(patch);
  retainKeys(original, patch);
  mergeOrderedLists(original, patch, schema);
  for (const patchKey of Object.keys(patch)) {
    const value = patch[patchKey];
    const deletes = patchKey.startsWith(deletePrefix);
    const key = deletes ? patchKey.slice(deletePrefix.length) : patchKey;
    if (value === null) {
      delete original[key];
    } else if (!Object.hasOwn(original, key) || kindOf(original[key]) !== kindOf(value)) {
      if (!deletes) take(original, key, value);
    } else if (isRecord(value)) {
      const field = fieldNode(schema, key);
      const merged =
        strategyOf(field) === 'replace' ? value : mergeMap(original[key] as Record<string, unknown>, value, field); // same kind
      setOwn(original, key, merged);
    } else if (Array.isArray(value)) {
      const list = original[key] as unknown[]; // same kind
      const field = fieldNode(schema, key);
      const merges = deletes || strategyOf(field) === 'merge';
      setOwn(original, key, merges ? mergeList(list, value, { field, deletes, mergeMap }) : value);
    } else {
      setOwn(original, key, value);
    }
  }
  return original;
}

function followDirective(patch: Record<string, unknown>): Record<string, unknown> {
  const directive = patch[patchDirective];
  if (directive === 'replace') {
    delete patch[patchDirective];
    return patch;
  }
  if (directive === 'delete') return {};
  throw internal(`unknown patch type: ${printGo(directive)} in map: ${printGo(patch)}`);
}

/** Sets a field that the original lacks, after removing nulls and elements with directives from its value. */
function take(original: Record<string, unknown>, key: string, value: unknown): void {
  const cleaned = withoutDirectives(withoutNulls(value));
  if (cleaned === undefined) delete original[key];
  else setOwn(original, key, cleaned);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (const item of value) withoutNulls(item);
  } else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else withoutNulls(value[key]);
    }
  }
  return value;
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, patchDirective)) return undefined;
  for (const key of Object.keys(value)) {
    const cleaned = withoutDirectives(value[key]);
    if (cleaned === undefined) delete value[key];
    else setOwn(value, key, cleaned);
  }
  return value;
}

function fieldNode(schema: SchemaNode | undefined, key: string): SchemaNode | undefined {
  const field = schema?.properties?.get(key) ?? schema?.additionalProperties;
  if (field === undefined && schema !== undefined && schema.type === 'object' && schema.properties !== undefined) {
    throw internal(`unable to find api field in struct ${structName(schema)} for the json field "${key}"`);
  }
  return field;
}

function structName(schema: SchemaNode): string {
  const name = schema.typeName ?? 'Unknown';
  return name.slice(name.lastIndexOf('.') + 1);
}

function strategyOf(field: SchemaNode | undefined): string | undefined {
  return field?.patchStrategies?.find((strategy) => strategy !== 'retainKeys');
}

function retainKeys(original: Record<string, unknown>, patch: Record<string, unknown>): void {
  if (!Object.hasOwn(patch, retainKeysDirective)) return;
  const keys = patch[retainKeysDirective];
  delete patch[retainKeysDirective];
  if (!Array.isArray(keys)) throw badFormat('retainKeys');
  const retained = new Set<unknown>(keys);
  for (const key of Object.keys(patch)) {
    const directive = key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (patch[key] !== null && !directive && !retained.has(key)) throw badFormat('retainKeys');
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

/** Merges the lists that have a `$setElementOrder`, and removes the lists and these directives from the patch. */
function mergeOrderedLists(
  original: Record<string, unknown>,
  patch: Record<string, unknown>,
  schema: SchemaNode | undefined,
): void {
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(orderPrefix)) continue;
    const order = patch[directive];
    delete patch[directive];
    if (!Array.isArray(order)) throw wrongKind('list', order);
    const key = directive.slice(orderPrefix.length);
    const live = original[key];
    const change = patch[key];
    if (live !== undefined && !Array.isArray(live)) throw wrongKind('list', live);
    if (change !== undefined && !Array.isArray(change)) throw wrongKind('list', change);
    const field = fieldNode(schema, key);
    const mergeKey = field?.patchMergeKey;
    if (change !== undefined) checkOrder(change, order, mergeKey);
    if (live === undefined && change === undefined) continue;
    const merged = mergeForOrder(live, change, field);
    const parts = partition(merged, order, mergeKey);
    elementKind(live ?? [], change ?? []);
    setOwn(original, key, orderElements(parts, { patchOrder: order, serverOrder: live ?? [] }, mergeKey));
    delete patch[key];
  }
}

function mergeForOrder(
  live: unknown[] | undefined,
  change: unknown[] | undefined,
  field: SchemaNode | undefined,
): unknown[] {
  if (change === undefined) return live ?? [];
  if (live === undefined) return withoutDirectives(change) as unknown[]; // a list stays a list
  if (strategyOf(field) !== 'merge') return change;
  return mergeList([...live], change, { field, deletes: false, mergeMap });
}

/** Checks that the elements of a list in the patch are in the order of its `$setElementOrder`. */
function checkOrder(change: readonly unknown[], order: readonly unknown[], mergeKey: string | undefined): void {
  if (order.length === 0 || change.length === 0) return;
  let at = 0;
  for (const element of change) {
    if (mergeKey !== undefined && !isRecord(element)) throw wrongKind('map', element);
    if (isRecord(element) && Object.hasOwn(element, patchDirective)) continue;
    requireKey(element, mergeKey);
    const wanted = identify(element, mergeKey);
    while (at < order.length && identify(orderElement(order[at], mergeKey), mergeKey) !== wanted) at++;
    if (at >= order.length) {
      throw internal(
        `The order in patch list:\n${printGo(change)}\n doesn't match $setElementOrder list:\n${printGo(order)}\n`,
      );
    }
    at++;
  }
}

function orderElement(element: unknown, mergeKey: string | undefined): unknown {
  if (mergeKey !== undefined && !isRecord(element)) throw wrongKind('map', element);
  requireKey(element, mergeKey);
  return element;
}
