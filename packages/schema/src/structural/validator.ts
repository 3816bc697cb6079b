import { sameJson } from '@kubewright/apimachinery/internal';
import {
  type FieldProblem,
  goNumber,
  invalid,
  notSupported,
  required,
  sortedJson,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-problem.ts';
import { formatCheck } from './formats.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { isRecord } from './plain-data.ts';

/** A compiled regular expression of a schema's `pattern`. */
export interface Pattern {
  test(text: string): boolean;
}

/** Compiles a pattern with RE2's rules; throws if it is invalid. */
export type CompilePattern = (pattern: string) => Pattern;

/** The results of one validation. */
export interface Findings {
  readonly problems: FieldProblem[];
  /** Number of passed checks. Upstream shows the errors of the `anyOf`/`oneOf` alternative that passed the most checks. */
  matches: number;
}

/** Checks one value. `old` is the value that it replaces if known, otherwise `undefined`. */
export type Validate = (value: unknown, path: string, at: Findings, old: unknown) => void;

/**
 * Compiles a schema to closures that check a value as the API server does (kube-openapi's validator, 1.36): with the same
 * order, messages and quirks. On update, problems in unchanged values are dropped if the old value can be found: fields of
 * structures and maps, elements of `map` lists.
 */
export function compileValidator(schema: JsonSchema, compilePattern: CompilePattern): Validate {
  const children: Children = {
    properties: Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      compileValidator(property, compilePattern),
    ]),
    additional: optional(additionalOf(schema), compilePattern),
    items: optional(itemsOf(schema), compilePattern),
  };
  const checks: Validate[] = [];
  const types = typesOf(schema);
  const type = types.length > 0 ? compileType(types, schema.nullable === true) : undefined;
  const junctors = compileJunctors(schema, compilePattern);
  const string = compileString(schema, compilePattern);
  const number = compileNumber(schema, types);
  const list = compileList(schema, children);
  const enumeration = compileEnum(schema);
  const object = compileObject(schema, children);
  for (const check of [type, junctors, string, number, list, enumeration, object]) {
    if (check !== undefined) checks.push(check);
  }
  return (value, path, at, old) => {
    const before = at.problems.length;
    if (value === null) {
      type?.(value, path, at, old);
      enumeration?.(value, path, at, old);
    } else {
      for (const check of checks) check(value, path, at, old);
      at.matches += 3;
    }
    if (at.problems.length > before && old !== undefined && sameJson(value, old)) at.problems.length = before;
  };
}

interface Children {
  readonly properties: readonly (readonly [name: string, validate: Validate])[];
  readonly additional: Validate | undefined;
  readonly items: Validate | undefined;
}

function optional(schema: JsonSchema | undefined, compilePattern: CompilePattern): Validate | undefined {
  return schema === undefined ? undefined : compileValidator(schema, compilePattern);
}

function typesOf(schema: JsonSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  if (typeof value === 'bigint') return 'integer';
  return typeof value;
}

function compileType(types: readonly string[], nullable: boolean): Validate {
  const list = types.join(',');
  return (value, path, at) => {
    const actual = typeOf(value);
    const fits =
      value === null ? nullable : types.includes(actual) || (actual === 'integer' && types.includes('number'));
    if (fits) at.matches++;
    else {
      at.problems.push(
        typeInvalid(fieldOf(path), actual, `${path} in body must be of type ${list}: ${JSON.stringify(actual)}`),
      );
    }
  };
}

function fieldOf(path: string): string {
  return path.startsWith('.') ? path.slice(1) : path;
}

function fail(at: Findings, path: string, { value, text }: { readonly value: unknown; readonly text: string }): void {
  at.problems.push(invalid(fieldOf(path), value, `${path} in body ${text}`));
}

function compileJunctors(schema: JsonSchema, compilePattern: CompilePattern): Validate | undefined {
  const compileAll = (schemas: readonly JsonSchema[] | undefined): readonly Validate[] =>
    (schemas ?? []).map((nested) => compileValidator(nested, compilePattern));
  const anyOf = compileAll(schema.anyOf);
  const oneOf = compileAll(schema.oneOf);
  const allOf = compileAll(schema.allOf);
  const not = optional(schema.not, compilePattern);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;
  return (value, path, at, old) => {
    if (anyOf.length > 0) checkAnyOf(anyOf, { value, path, at, old });
    if (oneOf.length > 0) checkOneOf(oneOf, { value, path, at, old });
    if (allOf.length > 0) checkAllOf(allOf, { value, path, at, old });
    if (not !== undefined && run(not, { value, path, at, old }).problems.length === 0) {
      at.problems.push(invalid('', '', `${JSON.stringify(path)} must not validate the schema (not)`));
    }
  };
}

interface Subject {
  readonly value: unknown;
  readonly path: string;
  readonly at: Findings;
  readonly old: unknown;
}

function run(validate: Validate, { value, path, old }: Subject): Findings {
  const findings: Findings = { problems: [], matches: 0 };
  validate(value, path, findings, old);
  return findings;
}

function merge(into: Findings, from: Findings): void {
  into.problems.push(...from.problems);
  into.matches += from.matches;
}

function checkAnyOf(alternatives: readonly Validate[], subject: Subject): void {
  let best: Findings | undefined;
  for (const alternative of alternatives) {
    const findings = run(alternative, subject);
    if (findings.problems.length === 0) {
      merge(subject.at, findings);
      return;
    }
    if (best === undefined || findings.matches > best.matches) best = findings;
  }
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate at least one schema (anyOf)`),
  );
  if (best !== undefined) merge(subject.at, best);
}

function checkOneOf(alternatives: readonly Validate[], subject: Subject): void {
  let best: Findings | undefined;
  let first: Findings | undefined;
  let valid = 0;
  for (const alternative of alternatives) {
    const findings = run(alternative, subject);
    if (findings.problems.length === 0) {
      valid++;
      first ??= findings;
    } else if (best === undefined || findings.matches > best.matches) {
      best = findings;
    }
  }
  if (valid === 1 && first !== undefined) {
    merge(subject.at, first);
    return;
  }
  const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate one and only one schema (oneOf). ${found}`),
  );
  if (valid === 0 && best !== undefined) merge(subject.at, best);
}

function checkAllOf(parts: readonly Validate[], subject: Subject): void {
  let valid = 0;
  for (const part of parts) {
    const findings = run(part, subject);
    if (findings.problems.length === 0) valid++;
    merge(subject.at, findings);
  }
  if (valid === parts.length) return;
  const none = valid === 0 ? '. None validated' : '';
  subject.at.problems.push(
    invalid('', '', `${JSON.stringify(subject.path)} must validate all the schemas (allOf)${none}`),
  );
}

function compileString(schema: JsonSchema, compilePattern: CompilePattern): Validate | undefined {
  const { maxLength, minLength, pattern, format } = schema;
  const compiled = pattern === undefined || pattern === '' ? undefined : compilePattern(pattern);
  const untyped = schema.type === undefined || schema.type === '' || schema.type === 'string';
  const matchesFormat =
    format === undefined || !untyped || schema['x-kubernetes-int-or-string'] === true ? undefined : formatCheck(format);
  if (maxLength === undefined && minLength === undefined && compiled === undefined && matchesFormat === undefined) {
    return undefined;
  }
  return (value, path, at) => {
    if (typeof value !== 'string') return;
    if (maxLength !== undefined && value.length > maxLength && characters(value) > maxLength) {
      at.problems.push(tooLong(fieldOf(path), maxLength));
    } else if (minLength !== undefined && characters(value) < minLength) {
      fail(at, path, { value, text: `should be at least ${minLength} chars long` });
    } else if (compiled !== undefined && !compiled.test(value)) {
      fail(at, path, { value, text: `should match '${pattern}'` });
    }
    if (matchesFormat !== undefined && !matchesFormat(value)) {
      const text = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
      at.problems.push(typeInvalid(fieldOf(path), value, text));
    }
  };
}

function characters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) count--;
  }
  return count;
}

function compileNumber(schema: JsonSchema, types: readonly string[]): Validate | undefined {
  const { maximum, minimum, multipleOf } = schema;
  const [type] = types;
  const format = types.length === 1 ? numericFormat(type as string, schema.format) : undefined;
  const counts = maximum !== undefined || minimum !== undefined || multipleOf !== undefined || format !== undefined;
  if (!counts && !types.includes('integer') && !types.includes('number')) return undefined;
  return (value, path, at) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return;
    at.matches++;
    if (!counts) return;
    if (format !== undefined && !format.fits(value)) {
      const text = `Checked value must be of type ${type} ${format.text} in ${path}`;
      at.problems.push(invalid('', '', text));
    }
    if (multipleOf !== undefined) checkMultiple(at, path, { value, multipleOf });
    // Upstream compares whole values as int64, which truncates the bound.
    const isWhole = typeof value === 'bigint' || Number.isInteger(value);
    const bound = (limit: number): number => (isWhole ? Math.trunc(limit) : limit);
    if (minimum !== undefined) {
      const min = bound(minimum);
      if (schema.exclusiveMinimum === true ? value <= min : value < min) {
        const word = schema.exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
        fail(at, path, { value, text: `should be ${word} ${goNumber(min)}` });
      }
    }
    if (maximum !== undefined) {
      const max = bound(maximum);
      if (schema.exclusiveMaximum === true ? value >= max : value > max) {
        const word = schema.exclusiveMaximum === true ? 'less than' : 'less than or equal to';
        fail(at, path, { value, text: `should be ${word} ${goNumber(max)}` });
      }
    }
  };
}

interface NumericFormat {
  readonly text: string;
  fits(value: number | bigint): boolean;
}

function numericFormat(type: string, format: string | undefined): NumericFormat | undefined {
  if (type === 'integer') {
    const bits = format === 'int32' ? 31 : 63;
    const known = format === 'int32' || format === 'int64';
    return {
      text: known ? `with format ${format}` : '(default format)',
      // A bigint has 64 bits.
      fits: (value) =>
        typeof value === 'bigint' ? bits === 63 : Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits,
    };
  }
  if (type !== 'number' || format !== 'float') return undefined;
  return { text: 'with format float', fits: (value) => Math.abs(Number(value)) <= 3.4028234663852886e38 };
}

function checkMultiple(
  at: Findings,
  path: string,
  { value, multipleOf }: { readonly value: number | bigint; readonly multipleOf: number },
): void {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value);
  const factor = isWhole ? Math.trunc(multipleOf) : multipleOf;
  if (factor <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${goNumber(factor)}`;
    at.problems.push(invalid(fieldOf(path), value, text));
    return;
  }
  if (!isMultiple(value, factor)) fail(at, path, { value, text: `should be a multiple of ${goNumber(factor)}` });
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return value % BigInt(factor) === 0n;
  return isNearlyInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** True within go-openapi's tolerance for whole numbers. */
function isNearlyInteger(value: number): boolean {
  const difference = Math.abs(value - Math.round(value));
  return difference === 0 || difference / Math.abs(value) < 1e-9;
}

function compileList(schema: JsonSchema, children: Children): Validate | undefined {
  const { maxItems, minItems, uniqueItems } = schema;
  const { items } = children;
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
  return isRecord(item) ? sortedJson(keys.map((key) => item[key] ?? null)) : '';
}

function compileEnum(schema: JsonSchema): Validate | undefined {
  const values = schema.enum;
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set(values);
  const texts = values.map((value) => (typeof value === 'string' ? value : sortedJson(value)));
  return (value, path, at) => {
    if (value !== null && scalars.has(value)) return;
    if (typeof value === 'object' && value !== null && values.some((allowed) => sameJson(allowed, value))) return;
    at.problems.push(notSupported(fieldOf(path), value, texts));
  };
}

function compileObject(schema: JsonSchema, children: Children): Validate | undefined {
  const { maxProperties, minProperties } = schema;
  const { properties, additional } = children;
  const names = new Set(properties.map(([name]) => name));
  const demanded = schema.required ?? [];
  const closed = schema.additionalProperties === false;
  const sized = maxProperties !== undefined || minProperties !== undefined;
  if (properties.length === 0 && additional === undefined && demanded.length === 0 && !closed && !sized) {
    return undefined;
  }
  return (value, path, at, old) => {
    if (!isRecord(value)) return;
    const previous = isRecord(old) ? old : undefined;
    if (sized) checkSize(at, path, { value, minProperties, maxProperties });
    if (closed || additional !== undefined) {
      for (const key of Object.keys(value)) {
        if (names.has(key)) continue;
        if (closed) at.problems.push(invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`));
        else additional?.(value[key], `${path}.${key}`, at, oldField(previous, key));
      }
    }
    for (const [name, validate] of properties) {
      if (!Object.hasOwn(value, name)) continue;
      // A version change is not visible here, so these two fields are always checked.
      const ratchets = path !== '' || (name !== 'kind' && name !== 'apiVersion');
      validate(
        value[name],
        path === '' ? name : `${path}.${name}`,
        at,
        ratchets ? oldField(previous, name) : undefined,
      );
    }
    for (const name of demanded) {
      if (!Object.hasOwn(value, name)) at.problems.push(required(fieldOf(`${path}.${name}`)));
    }
  };
}

function oldField(old: Readonly<Record<string, unknown>> | undefined, key: string): unknown {
  return old !== undefined && Object.hasOwn(old, key) ? old[key] : undefined;
}

function checkSize(
  at: Findings,
  path: string,
  limits: {
    readonly value: object;
    readonly minProperties: number | undefined;
    readonly maxProperties: number | undefined;
  },
): void {
  const { minProperties, maxProperties } = limits;
  const size = Object.keys(limits.value).length;
  if (minProperties !== undefined && size < minProperties) {
    fail(at, path, { value: size, text: `should have at least ${minProperties} properties` });
  }
  if (maxProperties !== undefined && size > maxProperties) {
    at.problems.push(tooMany(fieldOf(path), { actual: size, max: maxProperties }));
  }
}
