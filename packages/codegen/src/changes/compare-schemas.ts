import type { JsonSchema } from '@kubewright/schema';
import { additionalOf, itemsOf } from '../types/children.ts';
import type { Changes, CrdChangeKind } from './change.ts';

/** Lists the differences between two schemas of a value. */
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
  compareKeys(before, after, to);
}

type Add = (kind: CrdChangeKind, message: string) => void;

/** Compares the types. Returns false if they are so different that comparing the rest makes no sense. */
function compareTypes(before: JsonSchema, after: JsonSchema, add: Add): boolean {
  const name = (schema: JsonSchema): string =>
    schema['x-kubernetes-int-or-string'] === true ? 'integer or string' : (schema.type ?? 'any');
  const flag = 'x-kubernetes-int-or-string';
  if (before[flag] === true && after[flag] === true) return true;
  if (before[flag] === true && after[flag] !== true) {
    add('int-or-string-removed', `type changed from integer or string to ${name(after)}`);
    return false;
  }
  if (before[flag] !== true && after[flag] === true && (before.type === 'integer' || before.type === 'string')) {
    add('int-or-string-added', `type changed from ${name(before)} to integer or string`);
    return true;
  }
  if (before.type === after.type) return true;
  // Also reported if an integer becomes a number, or if a value without a type gets a type.
  add('type-changed', `type changed from ${name(before)} to ${name(after)}`);
  return false;
}

function compareValues(before: JsonSchema, after: JsonSchema, add: Add): void {
  if (before.format !== after.format)
    add('format-changed', `format changed from ${before.format ?? 'none'} to ${after.format ?? 'none'}`);
  compareEnums(before, after, add);
  if (before.pattern !== after.pattern) {
    if (after.pattern === undefined) add('pattern-removed', `pattern ${before.pattern} was removed`);
    else add('pattern-changed', `pattern changed from ${before.pattern ?? 'none'} to ${after.pattern}`);
  }
  if (before.multipleOf !== after.multipleOf) {
    if (after.multipleOf === undefined) add('limit-removed', 'multipleOf was removed');
    else add('multiple-of-changed', `multipleOf changed from ${before.multipleOf ?? 'none'} to ${after.multipleOf}`);
  }
  if ((before.nullable ?? false) !== (after.nullable ?? false)) {
    if (after.nullable === true) add('nullable-added', 'can now be null');
    else add('nullable-removed', 'can no longer be null');
  }
  compareDefaults(before, after, add);
  if (before.description !== after.description) add('description-changed', 'description changed');
  const alternatives = ({ allOf, anyOf, oneOf, not }: JsonSchema): string => JSON.stringify([allOf, anyOf, oneOf, not]);
  if (alternatives(before) !== alternatives(after) && after['x-kubernetes-int-or-string'] !== true) {
    add('alternatives-changed', 'allOf, anyOf, oneOf or not changed');
  }
}

function compareEnums(before: JsonSchema, after: JsonSchema, add: Add): void {
  if (before.enum === undefined && after.enum === undefined) return;
  if (before.enum === undefined) add('enum-added', `must now be one of ${print(after.enum)}`);
  if (after.enum === undefined) add('enum-removed', 'can now have any value');
  if (before.enum === undefined || after.enum === undefined) return;
  const [old, now] = [before.enum.map(print), after.enum.map(print)];
  for (const value of old) if (!now.includes(value)) add('enum-value-removed', `can no longer be ${value}`);
  for (const value of now) if (!old.includes(value)) add('enum-value-added', `can now be ${value}`);
}

function compareDefaults(before: JsonSchema, after: JsonSchema, add: Add): void {
  const [old, now] = [before.default, after.default];
  if (print(old) === print(now)) return;
  if (old === undefined) add('default-added', `now defaults to ${print(now)}, also in stored objects`);
  else if (now === undefined) add('default-removed', `default ${print(old)} was removed`);
  else add('default-changed', `default changed from ${print(old)} to ${print(now)}`);
}

const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const lower = ['minimum', 'minLength', 'minItems', 'minProperties'] as const;

function compareLimits(before: JsonSchema, after: JsonSchema, add: Add): void {
  const compare = (
    name: (typeof upper)[number] | (typeof lower)[number],
    isTighter: (now: number, old: number) => boolean,
  ): void => {
    const [old, now] = [before[name], after[name]];
    if (old === now) return;
    if (old === undefined) add('limit-added', `${name} ${now} was added`);
    else if (now === undefined) add('limit-removed', `${name} ${old} was removed`);
    else add(isTighter(now, old) ? 'limit-tightened' : 'limit-loosened', `${name} changed from ${old} to ${now}`);
  };
  for (const name of upper) compare(name, (now, old) => now < old);
  for (const name of lower) compare(name, (now, old) => now > old);
  for (const name of ['exclusiveMaximum', 'exclusiveMinimum'] as const) {
    const [old = false, now = false] = [before[name], after[name]];
    if (old !== now) add(now ? 'limit-tightened' : 'limit-loosened', `${name} changed from ${old} to ${now}`);
  }
}

function compareLists(before: JsonSchema, after: JsonSchema, add: Add): void {
  const compare = (kind: CrdChangeKind, key: keyof JsonSchema, words: string, otherwise: string): void => {
    const [old, now] = [print(before[key] ?? otherwise), print(after[key] ?? otherwise)];
    if (old !== now) add(kind, `${words} changed from ${old} to ${now}`);
  };
  if (before.type === 'array') {
    compare('list-type-changed', 'x-kubernetes-list-type', 'list type', 'atomic');
    compare('list-keys-changed', 'x-kubernetes-list-map-keys', 'list map keys', 'none');
  }
  if (before.type === 'object') compare('map-type-changed', 'x-kubernetes-map-type', 'map type', 'granular');
  const keeps = 'x-kubernetes-preserve-unknown-fields';
  if (before[keeps] === true && after[keeps] !== true) add('unknown-fields-pruned', 'now prunes undeclared fields');
  if (before[keeps] !== true && after[keeps] === true) add('unknown-fields-kept', 'now keeps undeclared fields');
  const embedded = 'x-kubernetes-embedded-resource';
  if ((before[embedded] ?? false) !== (after[embedded] ?? false)) {
    const words =
      after[embedded] === true
        ? 'must now be a Kubernetes object with apiVersion, kind and metadata'
        : 'is no longer a Kubernetes object';
    add('embedded-resource-changed', words);
  }
}

type Rule = NonNullable<JsonSchema['x-kubernetes-validations']>[number];

function compareRules(before: JsonSchema, after: JsonSchema, add: Add): void {
  const rules = (schema: JsonSchema): readonly Rule[] => schema['x-kubernetes-validations'] ?? [];
  // Rules that differ in optionalOldSelf are different, because a rule with optionalOldSelf also applies when an object
  // is created.
  const isSame = (a: Rule, b: Rule): boolean =>
    a.rule === b.rule && (a.optionalOldSelf ?? false) === (b.optionalOldSelf ?? false);
  const ruleText = ({ rule, optionalOldSelf }: Rule): string =>
    optionalOldSelf === true ? `${rule} (optionalOldSelf)` : rule;
  const [old, now] = [rules(before), rules(after)];
  const removed = old.filter((rule) => !now.some((each) => isSame(each, rule)));
  const added = now.filter((rule) => !old.some((each) => isSame(each, rule)));
  // Treats a removed and an added rule as one rule that was rewritten, and that may be stricter now.
  for (const rule of removed.splice(0, added.length)) {
    add('rule-changed', `rule ${ruleText(rule)} changed to ${ruleText(added.shift()!)}`); // at most added.length rules are removed
  }
  for (const rule of removed) add('rule-removed', `rule ${ruleText(rule)} was removed`);
  for (const rule of added) add('rule-added', `must now satisfy ${ruleText(rule)}`);
}

/** Compares the schemas of a map's values. */
function compareKeys(
  before: JsonSchema,
  after: JsonSchema,
  { path, changes }: { readonly path: string; readonly changes: Changes },
): void {
  const [values, valuesNow] = [additionalOf(before), additionalOf(after)];
  if (values && valuesNow) compareSchemas(values, valuesNow, { path: `${path}{}`, changes });
  else if (values && !keepsUnknown(after)) {
    changes.add('map-removed', path, 'no longer accepts arbitrary keys: stored values of undeclared keys are dropped');
  } else if (valuesNow && !values) {
    changes.add('map-added', path, 'now accepts arbitrary keys');
  }
}

function compareFields(
  before: JsonSchema,
  after: JsonSchema,
  { path, changes }: { readonly path: string; readonly changes: Changes },
): void {
  for (const name of new Set([...fieldsOf(before), ...fieldsOf(after)])) {
    const below = path === '' ? name : `${path}.${name}`;
    const [old, now] = [fieldOf(before, name), fieldOf(after, name)];
    // Every object has these fields, even if its schema does not declare them.
    const isImplicit = path === '' && ['apiVersion', 'kind', 'metadata'].includes(name);
    if (isImplicit && !(old.isNamed && now.isNamed)) continue;
    if (old.isNamed && now.schema === undefined) {
      changes.add('field-removed', below, 'was removed: stored values are dropped');
      continue;
    }
    // A required field with a default is never missing.
    const must = !old.isRequired && now.isRequired && now.schema?.default === undefined;
    if (old.isNamed || !now.isNamed) {
      if (must) changes.add('field-required', below, 'is now required');
    } else if (must) changes.add('required-field-added', below, 'was added as a required field');
    else changes.add('field-added', below, 'was added');
    if (old.isRequired && !now.isRequired) {
      changes.add('field-optional', below, 'is no longer required: clients that expect the field may fail');
    }
    if (old.isNamed && !now.isNamed) changes.add('field-unnamed', below, 'no longer has its own schema');
    if (old.schema && now.schema && (old.isNamed || now.isNamed)) {
      compareSchemas(old.schema, now.schema, { path: below, changes });
    }
  }
}

interface Field {
  /** The schema of the field's value, whether or not the field is declared; undefined if the API server prunes the field. */
  readonly schema: JsonSchema | undefined;
  readonly isNamed: boolean;
  readonly isRequired: boolean;
}

function fieldOf(schema: JsonSchema, name: string): Field {
  const { properties = {}, required = [] } = schema;
  const isNamed = Object.hasOwn(properties, name);
  const otherwise = additionalOf(schema) ?? (keepsUnknown(schema) ? anything : undefined);
  return { schema: isNamed ? properties[name] : otherwise, isNamed, isRequired: required.includes(name) };
}

/**
 * Returns the names of all declared or required fields. A required field can be undeclared: a key of a map, or an
 * unknown field that is kept.
 */
function fieldsOf({ properties = {}, required = [] }: JsonSchema): readonly string[] {
  return [...Object.keys(properties), ...required];
}

/** The schema of unknown fields that are kept: any value is valid. */
const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };

function keepsUnknown(schema: JsonSchema): boolean {
  return schema['x-kubernetes-preserve-unknown-fields'] === true;
}

/** Returns equal strings for equal values, regardless of the order of their fields. */
function print(value: unknown): string {
  return String(JSON.stringify(value, (_name, each: unknown) => (isObject(each) ? sorted(each) : each)));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
