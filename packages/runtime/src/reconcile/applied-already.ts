import type { KubernetesObject } from '@kubewright/apimachinery';
import { type JsonObject, sameJson } from '@kubewright/apimachinery/internal';
import { elementNamed, entryOf, isMap, type ManagerEntry, type NamedElement } from './manager-entry.ts';

/** Metadata fields that no manager owns: the server sets them, or they identify the object. */
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
 * Reports whether applying `wanted` would change no value and no field ownership: every value is present, and the
 * manager's field set consists of exactly the given fields. False if the manager has no entry.
 *
 * The entry shows how each list is merged (by keys, as a set, or atomically), so no schema is needed. In doubt, the
 * result is false, and the server then finds that nothing changed.
 */
export function appliedAlready(wanted: KubernetesObject, live: KubernetesObject, manager: ManagerEntry): boolean {
  const entry = entryOf(live, manager);
  if (!entry?.fieldsV1 || entry.apiVersion !== wanted.apiVersion) return false;
  return sameMap(appliedMembers(wanted), live, entry.fieldsV1);
}

/** Returns the fields of an applied object that its manager owns. */
export function appliedMembers(wanted: KubernetesObject): JsonObject {
  const { apiVersion: _v, kind: _k, metadata, ...rest } = wanted as unknown as JsonObject & KubernetesObject;
  const owned = Object.fromEntries(Object.entries(metadata).filter(([key]) => !unowned.has(key)));
  return Object.keys(owned).length > 0 ? { ...rest, metadata: owned } : rest;
}

function sameValue(wanted: unknown, live: unknown, fields: JsonObject): boolean {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  if (steps.length === 0) return sameJson(wanted, live);
  if (Array.isArray(wanted)) return Array.isArray(live) && sameList(wanted, live, fields);
  return isMap(wanted) && isMap(live) && sameMap(wanted, live, fields);
}

function sameMap(wanted: object, live: object, fields: JsonObject): boolean {
  const steps = Object.keys(fields).filter((step) => step !== '.');
  const members = Object.entries(wanted).filter(([, value]) => value !== undefined);
  if (steps.length !== members.length) return false;
  return members.every(([key, value]) => {
    const below = Object.hasOwn(fields, `f:${key}`) ? fields[`f:${key}`] : undefined;
    return isMap(below) && Object.hasOwn(live, key) && sameValue(value, (live as JsonObject)[key], below);
  });
}

/**
 * Compares merged lists: every desired element must be in the live list, and in the desired order. Elements of other
 * managers may stand between desired elements, because a merge keeps other elements in place and orders only the
 * applied elements. Duplicates in the live list count as a difference, because an apply would leave only one of the
 * duplicates.
 */
function sameList(wanted: readonly unknown[], live: readonly unknown[], fields: JsonObject): boolean {
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

/**
 * Finds the desired element. A key that the server defaults may be missing; an element that names every key takes
 * precedence.
 */
function wantedIndex(wanted: readonly unknown[], { is, keys }: NamedElement): number | undefined {
  const exact = wanted.findIndex(is);
  if (exact >= 0 || !keys) return exact < 0 ? undefined : exact;
  const fitting = wanted.flatMap((each, index) =>
    isMap(each) && keys.every(([key, value]) => each[key] === undefined || sameJson(each[key], value)) ? [index] : [],
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}
