import { sameJson } from '@kubewright/apimachinery/internal';
import { notSupported, sortedJson, typeInvalid } from '../field-problem.ts';
import { additionalOf, itemsOf, type JsonSchema } from '../json-schema.ts';
import { fieldOf, type Validate } from './findings.ts';
import { compileJunctors } from './junctors.ts';
import { compileList } from './lists.ts';
import { compileNumber } from './numbers.ts';
import { compileObject } from './objects.ts';
import { type CompilePattern, compileString } from './strings.ts';

/**
 * Compiles a schema to closures that check a value like the API server (kube-openapi's validator, 1.36), with the same
 * order, messages and quirks. On update, ignores problems in unchanged values that can be matched to their old values:
 * fields of structures, values of maps, and elements of `map` lists.
 */
export function compileValidator(schema: JsonSchema, compilePattern: CompilePattern): Validate {
  const compile = (nested: JsonSchema): Validate => compileValidator(nested, compilePattern);
  const compileIfSet = (nested: JsonSchema | undefined): Validate | undefined =>
    nested === undefined ? undefined : compile(nested);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, compile(property)] as const,
  );
  const additional = compileIfSet(additionalOf(schema));
  const items = compileIfSet(itemsOf(schema));
  const checks: Validate[] = [];
  const types = typesOf(schema);
  const type = types.length > 0 ? compileType(types, schema.nullable === true) : undefined;
  const junctors = compileJunctors(schema, compile);
  const string = compileString(schema, compilePattern);
  const number = compileNumber(schema, types);
  const list = compileList(schema, items);
  const enumeration = compileEnum(schema);
  const object = compileObject(schema, { properties, additional });
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
