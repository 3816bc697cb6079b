import { setOwn } from '../json/parsed-body.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';
import { isRecord } from './plain-data.ts';

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** The result of {@link prune}. */
export interface Pruned {
  /** The value without undeclared fields; the input itself if nothing was dropped. */
  readonly value: unknown;
  /** Sorted paths of dropped fields, e.g. `spec.bogus`, `spec.items[0].x`. */
  readonly unknownPaths: readonly string[];
}

/**
 * Drops the fields that a schema does not declare, as the API server does for custom resources (1.36). Where
 * `x-kubernetes-preserve-unknown-fields` is set, undeclared fields are kept, but the values of declared fields are still
 * pruned.
 */
export function prune(
  schema: JsonSchema,
  value: unknown,
  { isResourceRoot }: { readonly isResourceRoot: boolean },
): Pruned {
  const walk = new PruneWalk();
  const embedded = isResourceRoot || schema['x-kubernetes-embedded-resource'] === true;
  const result = isRecord(value) ? walk.record(schema, value, embedded) : walk.value(schema, value);
  return { value: result, unknownPaths: walk.unknownPaths.sort() };
}

class PruneWalk {
  readonly unknownPaths: string[] = [];
  private path = '';

  value(schema: JsonSchema | undefined, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.list(schema, value);
    return isRecord(value) ? this.record(schema, value, schema?.['x-kubernetes-embedded-resource'] === true) : value;
  }

  private list(schema: JsonSchema | undefined, list: readonly unknown[]): unknown {
    const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    let items = schema === undefined ? undefined : itemsOf(schema);
    if (keeps && items === undefined) return list;
    if (keeps) items = { ...items, 'x-kubernetes-preserve-unknown-fields': true };
    const outer = this.path;
    let changed: unknown[] | undefined;
    for (let i = 0; i < list.length; i++) {
      const item = list[i];
      if (typeof item !== 'object' || item === null) continue;
      this.path = `${outer}[${i}]`;
      const pruned = this.value(items, item);
      if (pruned !== item) {
        changed ??= [...list];
        changed[i] = pruned;
      }
    }
    this.path = outer;
    return changed ?? list;
  }

  record(schema: JsonSchema | undefined, record: Readonly<Record<string, unknown>>, embedded: boolean): unknown {
    const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
    const properties = schema?.properties;
    const open = schema?.additionalProperties !== undefined && schema.additionalProperties !== false;
    if (keeps && properties === undefined && !open) return record;
    const outer = this.path;
    let changed: Record<string, unknown> | undefined;
    for (const key in record) {
      if (embedded && metaFields.has(key)) continue;
      const declared = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (declared !== undefined || open) {
        const item = record[key];
        if (typeof item !== 'object' || item === null) continue;
        this.path = outer === '' ? key : `${outer}.${key}`;
        const pruned = this.value(declared ?? (schema === undefined ? undefined : additionalOf(schema)), item);
        if (pruned !== item) {
          changed ??= { ...record };
          setOwn(changed, key, pruned);
        }
      } else if (!keeps) {
        if (outer !== '' || !metaFields.has(key)) this.unknownPaths.push(outer === '' ? key : `${outer}.${key}`);
        changed ??= { ...record };
        delete changed[key];
      }
    }
    this.path = outer;
    return changed ?? record;
  }
}
