/** One step into an object: a member, or an item of a list by what identifies it. */
export type PathStep = { readonly field: string } | { readonly item: unknown; readonly index: number };

/** A place in an object, and what is there now. */
export interface Difference {
  readonly steps: readonly PathStep[];
  readonly value: unknown;
}

/** Members by which items of lists are told apart, in the order in which they are tried. */
const identities = ['type', 'name', 'containerPort', 'port', 'key', 'uid', 'ip'] as const;
const mostDeep = 32;

/** Members that change with every write, or are not the writer's to choose. */
const serverOwned: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
]);

/** Finds where `after` is not what `before` is: the first few places, as deep as they go. */
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
  if (steps.length < mostDeep) {
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
  if (JSON.stringify(before) !== JSON.stringify(after)) into.found.push({ steps, value: after });
}

function walkLists(
  before: readonly unknown[],
  { after, steps }: { readonly after: readonly unknown[]; readonly steps: readonly PathStep[] },
  into: { readonly found: Difference[]; readonly limit: number },
): void {
  const identity = identities.find((each) =>
    [...before, ...after].every((item) => isMap(item) && item[each] !== undefined),
  );
  if (identity === undefined) {
    if (before.length !== after.length) into.found.push({ steps, value: after });
    else
      for (const [index, item] of after.entries())
        walk({ before: before[index], after: item, steps: [...steps, { item, index }] }, into);
    return;
  }
  const idOf = (item: unknown): unknown => (item as Readonly<Record<string, unknown>>)[identity];
  for (const [index, item] of after.entries()) {
    const old = before.find((each) => idOf(each) === idOf(item));
    walk({ before: old, after: item, steps: [...steps, { item, index }] }, into);
  }
  for (const [index, item] of before.entries()) {
    if (after.some((each) => idOf(each) === idOf(item)) || into.found.length >= into.limit) continue;
    into.found.push({ steps: [...steps, { item, index }], value: undefined });
  }
}

/** Writes a place as people read it: `.status.conditions[type=Ready].lastTransitionTime`. At most 200 characters. */
export function formatPath(steps: readonly PathStep[]): string {
  const text = steps
    .map((step) => {
      if ('field' in step) return /^[\w-]+$/.test(step.field) ? `.${step.field}` : `[${JSON.stringify(step.field)}]`;
      const { item, index } = step;
      const identity = isMap(item) ? identities.find((each) => item[each] !== undefined) : undefined;
      return identity && isMap(item) ? `[${identity}=${String(item[identity])}]` : `[${index}]`;
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
