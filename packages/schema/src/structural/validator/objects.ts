import { invalid, required, tooMany } from '../field-problem.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isRecord } from '../plain-data.ts';
import { type Findings, fail, fieldOf, type Validate } from './findings.ts';

/** The compiled schemas of an object's fields. */
export interface FieldValidators {
  readonly properties: readonly (readonly [name: string, validate: Validate])[];
  readonly additional: Validate | undefined;
}

/** Compiles the checks of an object: its fields, required fields and size. */
export function compileObject(schema: JsonSchema, { properties, additional }: FieldValidators): Validate | undefined {
  const { maxProperties, minProperties } = schema;
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
      // Always check the root's `apiVersion` and `kind`: both objects have been converted to the same version, so a
      // comparison would not show a change.
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
