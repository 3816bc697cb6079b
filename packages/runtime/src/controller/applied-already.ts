import type { KubernetesObject, ManagedFieldsEntry } from '@kubewright/apimachinery';

/** Which entry of `managedFields` is meant. */
export interface ManagerEntry {
  readonly fieldManager: string;
  /** @defaultValue the object itself */
  readonly subresource?: string;
}

/** Members that no manager owns: the server fills them in or they are the object's address. */
const unowned: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'selfLink',
  'managedFields',
]);

/**
 * True if applying `wanted` would change neither a value nor what the manager owns: every value is there, and the
 * manager's own field set is exactly the fields given. Without the manager's entry the answer is no.
 *
 * The entry itself says how each list is merged (by keys, as a set, as a whole), so no schema is needed. In doubt the
 * answer is no; the server then finds that nothing changed.
 */
export function appliedAlready(wanted: KubernetesObject, live: KubernetesObject, manager: ManagerEntry): boolean {
  const entry = live.metadata.managedFields?.find((each) => isEntryOf(each, manager));
  if (!entry?.fieldsV1 || entry.apiVersion !== wanted.apiVersion) return false;
  const {
    apiVersion: _v,
    kind: _k,
    metadata,
    ...rest
  } = wanted as unknown as Readonly<Record<string, unknown>> & KubernetesObject;
  const owned = Object.fromEntries(Object.entries(metadata).filter(([key]) => !unowned.has(key)));
  const tree = Object.keys(owned).length > 0 ? { ...rest, metadata: owned } : rest;
  return sameMap(tree, live, entry.fieldsV1);
}

function isEntryOf(entry: ManagedFieldsEntry, manager: ManagerEntry): boolean {
  return (
    entry.operation === 'Apply' &&
    entry.manager === manager.fieldManager &&
    (entry.subresource ?? '') === (manager.subresource ?? '')
  );
}

type Fields = Readonly<Record<string, unknown>>;

function sameValue(wanted: unknown, live: unknown, fields: Fields): boolean {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  if (steps.length === 0) return equal(wanted, live);
  if (Array.isArray(wanted)) return Array.isArray(live) && sameList(wanted, live, fields);
  return isMap(wanted) && isMap(live) && sameMap(wanted, live, fields);
}

function sameMap(wanted: object, live: object, fields: Fields): boolean {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  const members = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (steps.length !== members.length) return false;
  return members.every(([key, value]) => {
    const below = Object.hasOwn(fields, `f:${key}`) ? fields[`f:${key}`] : undefined;
    return isMap(below) && Object.hasOwn(live, key) && sameValue(value, (live as Fields)[key], below);
  });
}

/**
 * Lists that are merged: every element has its place in the live list, and the places are in the order that is wanted.
 * Between them elements of others may stand: a merge leaves those where they are, and puts what is applied into the order
 * of the configuration. What is there twice it would leave there once.
 */
function sameList(wanted: readonly unknown[], live: readonly unknown[], fields: Fields): boolean {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  if (steps.length !== wanted.length) return false;
  const places: number[] = [];
  for (const step of steps) {
    const below = fields[step];
    const named = elementNamed(step);
    if (!named || !isMap(below)) return false;
    const mine = wantedIndex(wanted, named);
    const theirs = live.findIndex(named.is);
    if (mine === undefined || places[mine] !== undefined || theirs < 0) return false;
    if (live.slice(theirs + 1).some(named.is)) return false;
    if (named.keys && !sameValue(wanted[mine], live[theirs], below)) return false;
    places[mine] = theirs;
  }
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
}

/** What a step of a field path says of the element that it means. */
interface NamedElement {
  readonly is: (item: unknown) => boolean;
  /** Undefined for the element of a set. */
  readonly keys: readonly (readonly [string, unknown])[] | undefined;
}

function elementNamed(step: string): NamedElement | undefined {
  const sort = step.slice(0, 2);
  if (sort !== 'v:' && sort !== 'k:') return undefined;
  const value: unknown = JSON.parse(step.slice(2));
  if (sort === 'v:') return { is: (item) => equal(item, value), keys: undefined };
  if (!isMap(value)) return undefined;
  const keys = Object.entries(value);
  return { is: (item) => isMap(item) && keys.every(([key, each]) => equal(item[key], each)), keys };
}

/** Finds what is meant. A key that the server fills in by default may be missing; what names every key goes before. */
function wantedIndex(wanted: readonly unknown[], { is, keys }: NamedElement): number | undefined {
  const exact = wanted.findIndex(is);
  if (exact >= 0 || !keys) return exact < 0 ? undefined : exact;
  const fitting = wanted.flatMap((each, index) =>
    isMap(each) && keys.every(([key, value]) => each[key] === undefined || equal(each[key], value)) ? [index] : [],
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Compares JSON values; members that are undefined count as absent, as they do on the wire. */
function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((each, index) => equal(each, b[index]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a).filter((key) => a[key] !== undefined);
  const count = Object.keys(b).filter((key) => b[key] !== undefined).length;
  return keys.length === count && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}
