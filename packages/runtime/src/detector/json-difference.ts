import { stringifyJson } from '@kubewright/apimachinery/internal';
/** One step of a path: a field, or a list item with the fields that identify it, if any. */
export type PathStep =
  | { readonly field: string }
  | { readonly item: unknown; readonly index: number; readonly key?: ListKey };

/** Fields that identify the items of a list. */
export type ListKey = readonly string[];

/** A path in an object, and its current value. */
export interface Difference {
  readonly steps: readonly PathStep[];
  readonly value: unknown;
}

/**
 * Candidate keys of lists, in the order in which they are tried. These are the list-map keys of the built-in kinds; the first key
 * that all items have is not always right (mounts have a name, but are keyed by path).
 */
const listKeys: readonly ListKey[] = [
  ['type'],
  ['name'],
  ['mountPath'],
  ['devicePath'],
  ['containerPort'],
  ['containerPort', 'protocol'],
  ['port'],
  ['port', 'protocol'],
  ['topologyKey'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['key'],
  ['uid'],
  ['ip'],
];
const maxDepth = 32;

/** Fields that change with every write, or that the writer cannot choose. */
const serverOwned: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);

/** Returns the first few paths at which `after` differs from `before`, as deep as possible. */
export function differences(before: unknown, after: unknown, limit: number): readonly Difference[] {
  const found: Difference[] = [];
  walk({ before, after, steps: [] }, { found, limit });
  return found;
}

interface Place {
  readonly before: unknown;
  readonly after: unknown;
  readonly steps: readonly PathStep[];
}

function walk({ before, after, steps }: Place, into: { readonly found: Difference[]; readonly limit: number }): void {
  if (into.found.length >= into.limit || Object.is(before, after)) return;
  if (steps.length < maxDepth) {
    if (isMap(before) && isMap(after)) {
      const inMetadata = steps.length === 1 && 'field' in steps[0]! && steps[0].field === 'metadata';
      for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
        if (inMetadata && serverOwned.has(field)) continue;
        walk({ before: own(before, field), after: own(after, field), steps: [...steps, { field }] }, into);
      }
      return;
    }
    if (Array.isArray(before) && Array.isArray(after)) {
      walkLists(before, { after, steps }, into);
      return;
    }
  }
  if (stringifyJson(before) !== stringifyJson(after)) into.found.push({ steps, value: after });
}

function walkLists(
  before: readonly unknown[],
  { after, steps }: { readonly after: readonly unknown[]; readonly steps: readonly PathStep[] },
  into: { readonly found: Difference[]; readonly limit: number },
): void {
  const key = listKeys.find((each) => identifies(each, before) && identifies(each, after));
  if (key === undefined) {
    if (before.length !== after.length) into.found.push({ steps, value: after });
    else
      for (const [index, item] of after.entries())
        walk({ before: before[index], after: item, steps: [...steps, { item, index }] }, into);
    return;
  }
  const old = new Map(before.map((item) => [idOf(item, key), item]));
  const now = new Set(after.map((item) => idOf(item, key)));
  for (const [index, item] of after.entries()) {
    walk({ before: old.get(idOf(item, key)), after: item, steps: [...steps, { item, index, key }] }, into);
  }
  for (const [index, item] of before.entries()) {
    if (now.has(idOf(item, key)) || into.found.length >= into.limit) continue;
    into.found.push({ steps: [...steps, { item, index, key }], value: undefined });
  }
}

/** Reports whether every item has the key fields and no two items have the same values in them. */
function identifies(key: ListKey, items: readonly unknown[]): boolean {
  const ids = new Set(items.map((item) => idOf(item, key)));
  return !ids.has(undefined) && ids.size === items.length;
}

function idOf(item: unknown, key: ListKey): string | undefined {
  if (!isMap(item) || key.some((member) => own(item, member) === undefined)) return undefined;
  return stringifyJson(key.map((member) => item[member]));
}

/** Formats a path for people: `.status.conditions[type=Ready].lastTransitionTime`. At most 200 characters. */
export function formatPath(steps: readonly PathStep[]): string {
  const text = steps
    .map((step) => {
      if ('field' in step) return /^[\w-]+$/.test(step.field) ? `.${step.field}` : `[${JSON.stringify(step.field)}]`;
      const { item, index, key } = step;
      return key && isMap(item) ? `[${key.map((each) => `${each}=${String(item[each])}`).join(',')}]` : `[${index}]`;
    })
    .join('');
  return text.length > 200 ? `${text.slice(0, 199)}…` : text || '.';
}

function own(map: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(map, field) ? map[field] : undefined;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
