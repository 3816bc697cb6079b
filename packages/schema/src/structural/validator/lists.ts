import { sortedJson, tooMany } from '../field-problem.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isRecord } from '../plain-data.ts';
import { fail, fieldOf, type Validate } from './findings.ts';

/** Compiles the checks of a list: its elements (each against `items`), its length and uniqueness. */
export function compileList(schema: JsonSchema, items: Validate | undefined): Validate | undefined {
  const { maxItems, minItems, uniqueItems } = schema;
  const correlate = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  const typed = schema.type === 'array';
  if (!typed && items === undefined && maxItems === undefined && minItems === undefined && uniqueItems !== true) {
    return undefined;
  }
  return (value, path, at, old) => {
    if (!Array.isArray(value)) return;
    if (items !== undefined) {
      const oldByKey = correlate.length > 0 && Array.isArray(old) ? indexByKeys(old, correlate) : undefined;
      for (let i = 0; i < value.length; i++) {
        const item: unknown = value[i];
        items(item, `${path}[${i}]`, at, oldByKey?.get(keyOf(item, correlate)));
      }
    }
    if (minItems !== undefined && value.length < minItems) {
      fail(at, path, { value: value.length, text: `should have at least ${minItems} items` });
    }
    if (maxItems !== undefined && value.length > maxItems) {
      at.problems.push(tooMany(fieldOf(path), { actual: value.length, max: maxItems }));
    }
    if (uniqueItems === true && new Set(value.map(sortedJson)).size < value.length) {
      fail(at, path, { value: '', text: "shouldn't contain duplicates" });
    }
    at.matches++;
  };
}

function indexByKeys(list: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const index = new Map<string, unknown>();
  for (const item of list) {
    const key = keyOf(item, keys);
    if (!index.has(key)) index.set(key, item);
  }
  return index;
}

function keyOf(item: unknown, keys: readonly string[]): string {
  return isRecord(item) ? sortedJson(keys.map((key) => (Object.hasOwn(item, key) ? item[key] : null))) : '';
}
