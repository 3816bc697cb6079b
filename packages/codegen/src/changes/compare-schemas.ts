import type { JsonSchema } from '@kubewright/schema';
import { additionalOf, itemsOf } from '../types/children.ts';
import type { Changes, CrdChangeKind } from './change.ts';

/** Lists what is different between two schemas of one value. */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  to: { readonly path: string; readonly changes: Changes },
): void {
  const { path, changes } = to;
  const add = (kind: CrdChangeKind, message: string): void => changes.add(kind, path, message);
  if (!compareTypes(before, after, add)) return;
  compareValues(before, after, add);
  compareLimits(before, after, add);
  compareLists(before, after, add);
  compareRules(before, after, add);
  compareFields(before, after, to);
  const [items, itemsNow] = [itemsOf(before), itemsOf(after)];
  if (items && itemsNow) compareSchemas(items, itemsNow, { path: `${path}[]`, changes });
  const [values, valuesNow] = [additionalOf(before), additionalOf(after)];
  if (values && valuesNow) compareSchemas(values, valuesNow, { path: `${path}{}`, changes });
}

type Add = (kind: CrdChangeKind, message: string) => void;

/** False if there is no sense in looking further. */
function compareTypes(before: JsonSchema, after: JsonSchema, add: Add): boolean {
  const name = (schema: JsonSchema): string =>
    schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : (schema.type ?? 'anything');
  const flag = 'x-kubernetes-int-or-string';
  if (before[flag] === true && after[flag] === true) return true;
  if (before[flag] === true && after[flag] !== true) {
    add('int-or-string-removed', `was an integer or a string, is ${name(after)}`);
    return false;
  }
  if (before[flag] !== true && after[flag] === true && (before.type === 'integer' || before.type === 'string')) {
    add('int-or-string-added', `was ${name(before)}, may be an integer or a string`);
    return true;
  }
  if (before.type === after.type) return true;
  // Every integer is a number, and anything was allowed where nothing was said.
  add('type-changed', `was ${name(before)}, is ${name(after)}`);
  return false;
}

function compareValues(before: JsonSchema, after: JsonSchema, add: Add): void {
  if (before.format !== after.format)
    add('format-changed', `format was ${before.format ?? 'none'}, is ${after.format ?? 'none'}`);
  compareEnums(before, after, add);
  if (before.pattern !== after.pattern) {
    if (after.pattern === undefined) add('pattern-removed', `the pattern ${before.pattern} is gone`);
    else add('pattern-changed', `the pattern was ${before.pattern ?? 'none'}, is ${after.pattern}`);
  }
  if (before.multipleOf !== after.multipleOf) {
    if (after.multipleOf === undefined) add('limit-removed', 'multipleOf is gone');
    else add('multiple-of-changed', `multipleOf was ${before.multipleOf ?? 'none'}, is ${after.multipleOf}`);
  }
  if ((before.nullable ?? false) !== (after.nullable ?? false)) {
    if (after.nullable === true) add('nullable-added', 'may be null');
    else add('nullable-removed', 'may not be null any more');
  }
  compareDefaults(before, after, add);
  if (before.description !== after.description) add('description-changed', 'is described in other words');
  const alternatives = ({ allOf, anyOf, oneOf, not }: JsonSchema): string => JSON.stringify([allOf, anyOf, oneOf, not]);
  if (alternatives(before) !== alternatives(after) && after['x-kubernetes-int-or-string'] !== true) {
    add('alternatives-changed', 'allOf, anyOf, oneOf or not is different');
  }
}

function compareEnums(before: JsonSchema, after: JsonSchema, add: Add): void {
  if (before.enum === undefined && after.enum === undefined) return;
  if (before.enum === undefined) add('enum-added', `must be one of ${print(after.enum)}`);
  if (after.enum === undefined) add('enum-removed', 'may be any value');
  if (before.enum === undefined || after.enum === undefined) return;
  const [old, now] = [before.enum.map(print), after.enum.map(print)];
  for (const value of old) if (!now.includes(value)) add('enum-value-removed', `may not be ${value} any more`);
  for (const value of now) if (!old.includes(value)) add('enum-value-added', `may be ${value}`);
}

function compareDefaults(before: JsonSchema, after: JsonSchema, add: Add): void {
  const [old, now] = [before.default, after.default];
  if (print(old) === print(now)) return;
  if (old === undefined)
    add('default-added', `is ${print(now)} when it is not given, in objects that are stored as well`);
  else if (now === undefined) add('default-removed', `is absent when it is not given, and was ${print(old)}`);
  else add('default-changed', `is ${print(now)} when it is not given, and was ${print(old)}`);
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;

function compareLimits(before: JsonSchema, after: JsonSchema, add: Add): void {
  const compare = (
    name: (typeof UPPER)[number] | (typeof LOWER)[number],
    isTighter: (now: number, old: number) => boolean,
  ): void => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return;
    if (old === undefined) add('limit-added', `${name} is ${now}`);
    else if (now === undefined) add('limit-removed', `${name} was ${old}`);
    else add(isTighter(now, old) ? 'limit-tightened' : 'limit-loosened', `${name} was ${old}, is ${now}`);
  };
  for (const name of UPPER) compare(name, (now, old) => now < old);
  for (const name of LOWER) compare(name, (now, old) => now > old);
  for (const name of ['exclusiveMaximum', 'exclusiveMinimum'] as const) {
    const [old = false, now = false] = [before[name], after[name]];
    if (old !== now) add(now ? 'limit-tightened' : 'limit-loosened', `${name} was ${old}, is ${now}`);
  }
}

function compareLists(before: JsonSchema, after: JsonSchema, add: Add): void {
  const compare = (kind: CrdChangeKind, key: keyof JsonSchema, words: string, otherwise: string): void => {
    const [old, now] = [print(before[key] ?? otherwise), print(after[key] ?? otherwise)];
    if (old !== now) add(kind, `${words} was ${old}, is ${now}`);
  };
  if (before.type === 'array') {
    compare('list-type-changed', 'x-kubernetes-list-type', 'the list type', 'atomic');
    compare('list-keys-changed', 'x-kubernetes-list-map-keys', "the list's keys", 'none');
  }
  if (before.type === 'object') compare('map-type-changed', 'x-kubernetes-map-type', 'the map type', 'granular');
  const keeps = 'x-kubernetes-preserve-unknown-fields';
  if (before[keeps] === true && after[keeps] !== true)
    add('unknown-fields-pruned', 'fields that are not named are dropped');
  if (before[keeps] !== true && after[keeps] === true) add('unknown-fields-kept', 'fields that are not named are kept');
  const embedded = 'x-kubernetes-embedded-resource';
  if ((before[embedded] ?? false) !== (after[embedded] ?? false)) {
    const words =
      after[embedded] === true ? 'must be an object with type and metadata' : 'is no object of Kubernetes any more';
    add('embedded-resource-changed', words);
  }
}

function compareRules(before: JsonSchema, after: JsonSchema, add: Add): void {
  const rules = (schema: JsonSchema): readonly string[] =>
    (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  const [old, now] = [rules(before), rules(after)];
  const removed = old.filter((rule) => !now.includes(rule));
  const added = now.filter((rule) => !old.includes(rule));
  // One for one: the rule was rewritten, and nobody can tell whether it asks for more.
  while (removed.length > 0 && added.length > 0)
    add('rule-changed', `the rule ${removed.shift()} is ${added.shift()} now`);
  for (const rule of removed) add('rule-removed', `the rule ${rule} is gone`);
  for (const rule of added) add('rule-added', `must satisfy ${rule}`);
}

function compareFields(
  before: JsonSchema,
  after: JsonSchema,
  { path, changes }: { readonly path: string; readonly changes: Changes },
): void {
  const [old, now] = [before.properties ?? {}, after.properties ?? {}];
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const isRequired = (schema: JsonSchema, name: string): boolean => schema.required?.includes(name) ?? false;
  // Every object has them, whether its schema says so or not.
  const isImplicit = (name: string): boolean => path === '' && ['apiVersion', 'kind', 'metadata'].includes(name);
  for (const [name, schema] of Object.entries(old)) {
    if (isImplicit(name) && !Object.hasOwn(now, name)) continue;
    const next = Object.hasOwn(now, name) ? now[name] : undefined;
    if (next === undefined) {
      changes.add('field-removed', below(name), 'is gone: what is stored of it is dropped');
      continue;
    }
    const [was, is] = [isRequired(before, name), isRequired(after, name)];
    // A default makes up for what is missing.
    if (!was && is && next.default === undefined) changes.add('field-required', below(name), 'must be given');
    if (was && !is) changes.add('field-optional', below(name), 'need not be given: clients may miss it');
    compareSchemas(schema, next, { path: below(name), changes });
  }
  for (const [name, schema] of Object.entries(now)) {
    if (Object.hasOwn(old, name) || isImplicit(name)) continue;
    const must = isRequired(after, name) && schema.default === undefined;
    if (must) changes.add('required-field-added', below(name), 'is new, and must be given');
    else changes.add('field-added', below(name), 'is new');
  }
}

function print(value: unknown): string {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.stringify(value, Object.keys(value).sort())
    : String(JSON.stringify(value));
}
