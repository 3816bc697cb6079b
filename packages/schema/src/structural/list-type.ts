import { setOwn } from '../json/parsed-body.ts';
import { childPath, duplicate, type FieldProblem, invalid, sortedJson } from './field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { isRecord } from './plain-data.ts';

/** Reports duplicates in lists of type `set` or `map`. */
export type CheckListTypes = (value: unknown, path: string, problems: FieldProblem[]) => void;

/**
 * Compiles the uniqueness checks of `x-kubernetes-list-type` (apiextensions 1.36). Returns `undefined` if the schema
 * has no list of type `set` or `map`, so that most objects need not be traversed.
 */
export function compileListTypes(schema: JsonSchema): CheckListTypes | undefined {
  const properties = new Map<string, CheckListTypes>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const check = compileListTypes(property);
    if (check !== undefined) properties.set(name, check);
  }
  const additionalSchema = additionalOf(schema);
  const additional = additionalSchema === undefined ? undefined : compileListTypes(additionalSchema);
  const itemSchema = itemsOf(schema);
  const items = itemSchema === undefined ? undefined : compileListTypes(itemSchema);
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const unique = listType === 'set' || listType === 'map';
  if (properties.size === 0 && additional === undefined && items === undefined && !unique) return undefined;
  return (value, path, problems) => {
    if (Array.isArray(value)) {
      if (listType === 'set') checkSet(value, value, { path, problems });
      else if (listType === 'map') checkMap(value, keys, { path, problems });
      if (items !== undefined) for (let i = 0; i < value.length; i++) items(value[i], `${path}[${i}]`, problems);
    } else if (isRecord(value)) {
      if (additional !== undefined) {
        for (const key of Object.keys(value)) additional(value[key], `${path}[${key}]`, problems);
      }
      for (const [name, check] of properties) {
        if (Object.hasOwn(value, name)) check(value[name], childPath(path, name), problems);
      }
    }
  };
}

interface Report {
  readonly path: string;
  readonly problems: FieldProblem[];
}

function checkSet(list: readonly unknown[], shown: readonly unknown[], { path, problems }: Report): void {
  const seen = new Map<string, number>();
  for (let i = 0; i < list.length; i++) {
    const text = list[i] === undefined ? '' : sortedJson(list[i]);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    if (times === 2) problems.push(duplicate(`${path}[${i}]`, shown[i]));
  }
}

function checkMap(list: readonly unknown[], keys: readonly string[], report: Report): void {
  const wrong = list.findIndex((item) => item !== null && !isRecord(item));
  if (wrong >= 0) {
    const text = 'must be an object for an array of list-type map';
    report.problems.push(invalid(`${report.path}[${wrong}]`, list[wrong], text));
    return;
  }
  const identities = list.map((item) => {
    const identity: Record<string, unknown> = {};
    if (isRecord(item)) for (const key of keys) if (Object.hasOwn(item, key)) setOwn(identity, key, item[key]);
    return identity;
  });
  checkSet(identities, identities, report);
}
