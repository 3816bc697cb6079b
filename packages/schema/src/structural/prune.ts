import { setOwn } from '../json/parsed-body.ts';
import { isRecord } from './equal.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';

const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** What {@link prune} hands back. */
export interface Pruned {
  /** The value without undeclared fields. The very input where nothing was dropped. */
  readonly value: unknown;
  /** Paths of what was dropped, sorted, e.g. `spec.bogus`, `spec.items[0].x`. */
  readonly unknownPaths: readonly string[];
}

/**
 * Drops the fields that a schema does not declare, as the API server does with custom resources (1.36). Below
 * `x-kubernetes-preserve-unknown-fields` undeclared fields stay, declared ones are pruned on.
 */
export function prune(
  schema: JsonSchema,
  value: unknown,
  { isResourceRoot }: { readonly isResourceRoot: boolean },
): Pruned {
  const unknownPaths: string[] = [];
  const root = isResourceRoot ? { ...schema, 'x-kubernetes-embedded-resource': true } : schema;
  const result = pruneValue(root, value, { path: '', unknownPaths });
  return { value: result, unknownPaths: unknownPaths.sort() };
}

interface Walk {
  readonly path: string;
  readonly unknownPaths: string[];
}

function pruneValue(schema: JsonSchema | undefined, value: unknown, walk: Walk): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const keeps = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (Array.isArray(value)) return pruneList(schema, value, { ...walk, keeps });
  return isRecord(value) ? pruneRecord(schema, value, { ...walk, keeps }) : value;
}

function pruneList(
  schema: JsonSchema | undefined,
  list: readonly unknown[],
  { path, unknownPaths, keeps }: Walk & { readonly keeps: boolean },
): unknown {
  const items = schema === undefined ? undefined : itemsOf(schema);
  if (keeps && items === undefined) return list;
  let changed: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i];
    if (typeof item !== 'object' || item === null) continue;
    const below = keeps ? { ...items, 'x-kubernetes-preserve-unknown-fields': true } : items;
    const pruned = pruneValue(below, item, { path: `${path}[${i}]`, unknownPaths });
    if (pruned !== item) {
      changed ??= [...list];
      changed[i] = pruned;
    }
  }
  return changed ?? list;
}

function pruneRecord(
  schema: JsonSchema | undefined,
  record: Readonly<Record<string, unknown>>,
  { path, unknownPaths, keeps }: Walk & { readonly keeps: boolean },
): unknown {
  const properties = schema?.properties;
  const embedded = schema?.['x-kubernetes-embedded-resource'] === true;
  const open = schema?.additionalProperties !== undefined && schema.additionalProperties !== false;
  const additional = schema === undefined ? undefined : additionalOf(schema);
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(record)) {
    if (embedded && META_FIELDS.has(key)) continue;
    const declared = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    const below = path === '' ? key : `${path}.${key}`;
    if (declared !== undefined || open) {
      const item = record[key];
      if (typeof item !== 'object' || item === null) continue;
      const pruned = pruneValue(declared ?? additional, item, { path: below, unknownPaths });
      if (pruned !== item) {
        changed ??= { ...record };
        setOwn(changed, key, pruned);
      }
    } else if (!keeps) {
      if (path !== '' || !META_FIELDS.has(key)) unknownPaths.push(below);
      changed ??= { ...record };
      delete changed[key];
    }
  }
  return changed ?? record;
}
