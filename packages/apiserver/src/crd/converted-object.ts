import {
  checkLabelValue,
  checkQualifiedName,
  type FieldError,
  invalidField,
  parseApiVersion,
} from '@kubewright/apimachinery';
import type { JsonObject } from '@kubewright/apimachinery/internal';
import type { Draft } from '../registry/strategy.ts';

/**
 * Validates an object converted by a webhook, and restores the metadata that a conversion must not change: everything
 * except labels and annotations. Mirrors `validateConvertedObject` and `restoreObjectMeta` (1.36).
 *
 * @returns the object, or upstream's error message, to be appended to `conversion webhook for …`
 */
export function restoreConverted(
  original: Draft,
  converted: unknown,
  apiVersion: string,
): { readonly object: Draft } | { readonly fault: string } {
  if (!isFields(converted)) return { fault: 'returned invalid object: not a JSON object' };
  const { kind = '', apiVersion: given = '' } = converted as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (given !== apiVersion) {
    return {
      fault: `returned invalid object at index 0: invalid groupVersion (expected ${shown(apiVersion)}, received ${shown(String(given))})`,
    };
  }
  if (kind !== original.kind) {
    return {
      fault: `returned invalid object at index 0: invalid kind (expected ${original.kind}, received ${String(kind)})`,
    };
  }
  const { metadata } = converted;
  const identity = identityFault(original, isFields(metadata) ? metadata : {});
  if (identity !== undefined) return { fault: `returned invalid object: ${identity}` };
  if (metadata === undefined) return { fault: 'returned invalid metadata: missing metadata in converted object' };
  if (!isFields(metadata)) {
    return { fault: `returned invalid metadata: invalid metadata of type ${goType(metadata)} in converted object` };
  }
  const restored: Draft['metadata'] = { ...original.metadata };
  for (const field of ['labels', 'annotations'] as const) {
    const fault = takeMap(restored, { field, from: metadata });
    if (fault !== undefined) return { fault: `returned invalid metadata: ${fault}` };
  }
  return { object: { ...(converted as Draft), metadata: restored } };
}

function identityFault({ metadata }: Draft, given: JsonObject): string | undefined {
  for (const [field, words] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const before = metadata[field] ?? '';
    const after = given[field] ?? '';
    if (before !== after) return `must have the same ${words}: ${before} != ${String(after)}`;
  }
  return undefined;
}

function takeMap(
  target: Draft['metadata'],
  { field, from }: { readonly field: 'labels' | 'annotations'; readonly from: JsonObject },
): string | undefined {
  const given = from[field];
  if (given === undefined || given === null) {
    delete target[field];
    return undefined;
  }
  if (!isFields(given)) return `invalid metadata.${field} of type ${goType(given)} in converted object`;
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') {
      return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
    }
  }
  const map = given as Readonly<Record<string, string>>; // all values are strings
  const faults = mapFaults(map, field).map(({ field: at, body }) => `${at}: ${body}`);
  if (faults.length > 0) return faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`;
  target[field] = { ...map };
  return undefined;
}

function mapFaults(map: Readonly<Record<string, string>>, field: 'labels' | 'annotations'): readonly FieldError[] {
  const path = field === 'labels' ? 'metadata.labels' : 'metadata.annotation';
  return Object.entries(map).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((detail) => invalidField(path, key, detail)),
    ...(field === 'labels' ? checkLabelValue(value) : []).map((detail) => invalidField(path, value, detail)),
  ]);
}

function isFields(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Formats an apiVersion like Go: the core group is omitted. */
function shown(apiVersion: string): string {
  const { group, version } = parseApiVersion(apiVersion);
  return group === '' ? version : `${group}/${version}`;
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
