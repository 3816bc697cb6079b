import { setOwn } from '../json/parsed-body.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { deepCopy, isRecord } from './plain-data.ts';

/** Applies defaults to a value; returns the input if nothing changed. */
export type FillDefaults = (value: unknown) => unknown;

/**
 * Compiles a schema's defaults. An absent field gets its default. A null in a field that is not nullable is replaced by the
 * default, or dropped if the field has no default (apiextensions 1.36: `PruneNonNullableNullsWithoutDefaults`, then
 * `Default`).
 */
export function compileDefaults(schema: JsonSchema): FillDefaults {
  const properties = new Map<string, Property>();
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    properties.set(name, compileProperty(property));
  const additional = optionalProperty(additionalOf(schema));
  const items = optionalProperty(itemsOf(schema));
  const filled = [...properties].filter(([, property]) => property.hasDefault);
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return items === undefined ? value : fillList(items, value);
    return isRecord(value) ? fillRecord({ properties, additional, filled }, value) : value;
  };
}

interface Property {
  readonly fill: FillDefaults;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  /** Returns a fresh copy of the default, with nested defaults applied. */
  readonly makeDefault: () => unknown;
}

interface Fields {
  readonly properties: ReadonlyMap<string, Property>;
  readonly additional: Property | undefined;
  readonly filled: readonly (readonly [string, Property])[];
}

function compileProperty(schema: JsonSchema): Property {
  const fill = compileDefaults(schema);
  const { default: value } = schema;
  return {
    fill,
    nullable: schema.nullable === true,
    hasDefault: value !== undefined && value !== null,
    makeDefault: () => fill(deepCopy(value)),
  };
}

function optionalProperty(schema: JsonSchema | undefined): Property | undefined {
  return schema === undefined ? undefined : compileProperty(schema);
}

function fillList(items: Property, list: readonly unknown[]): unknown {
  let changed: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    const next = item === null && !items.nullable && items.hasDefault ? items.makeDefault() : items.fill(item);
    if (next !== item) {
      changed ??= [...list];
      changed[i] = next;
    }
  }
  return changed ?? list;
}

function fillRecord(fields: Fields, record: Readonly<Record<string, unknown>>): unknown {
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    const property = fields.properties.get(key) ?? fields.additional;
    if (property === undefined) continue;
    const item = record[key];
    if (item === null && !property.nullable) {
      changed ??= { ...record };
      if (property.hasDefault) setOwn(changed, key, property.makeDefault());
      else delete changed[key];
      continue;
    }
    if (typeof item !== 'object' || item === null) continue;
    const next = property.fill(item);
    if (next !== item) {
      changed ??= { ...record };
      setOwn(changed, key, next);
    }
  }
  for (const [name, property] of fields.filled) {
    if (Object.hasOwn(changed ?? record, name)) continue;
    changed ??= { ...record };
    setOwn(changed, name, property.makeDefault());
  }
  return changed ?? record;
}
