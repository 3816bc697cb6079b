import type { KubernetesObject } from '@kubewright/apimachinery';
import { type JsonObject, parseExactJson, sameJson } from '@kubewright/apimachinery/internal';
import type { ManagedFieldsEntry } from '@kubewright/apimachinery/meta/v1';

/** Selects an entry of `managedFields`. */
export interface ManagerEntry {
  readonly fieldManager: string;
  /** @defaultValue the object itself */
  readonly subresource?: string;
}

/** Returns the entry of the manager's applies. */
export function entryOf(object: KubernetesObject, manager: ManagerEntry): ManagedFieldsEntry | undefined {
  return object.metadata.managedFields?.find(
    (entry) =>
      entry.operation === 'Apply' &&
      entry.manager === manager.fieldManager &&
      (entry.subresource ?? '') === (manager.subresource ?? ''),
  );
}

/**
 * Returns the part of the object that the manager's applies own, so that the manager can apply it again without taking
 * over the fields of other managers. As with `Extract` in client-go, a leaf of the entry stands for all fields below
 * it.
 */
export function ownedPart(object: KubernetesObject, manager: ManagerEntry): JsonObject {
  const { fieldsV1 } = entryOf(object, manager) ?? {};
  return fieldsV1 ? ownedMembers(object as unknown as JsonObject, fieldsV1) : {};
}

function ownedMembers(live: JsonObject, fields: JsonObject): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [step, below] of stepsOf(fields)) {
    const name = step.startsWith('f:') ? step.slice(2) : undefined;
    if (name !== undefined && Object.hasOwn(live, name)) members[name] = ownedValue(live[name], below);
  }
  return members;
}

function ownedValue(live: unknown, fields: JsonObject): unknown {
  if (stepsOf(fields).length === 0) return live;
  if (Array.isArray(live)) return ownedElements(live, fields);
  return isMap(live) ? ownedMembers(live, fields) : live;
}

/** Returns the owned elements in the order of the list; elements of a map list always have their keys. */
function ownedElements(live: readonly unknown[], fields: JsonObject): readonly unknown[] {
  const owned = stepsOf(fields).flatMap(([step, below]) => {
    const named = elementNamed(step);
    return named ? [{ named, below }] : [];
  });
  return live.flatMap((item) => {
    const found = owned.find(({ named }) => named.is(item));
    if (!found) return [];
    const value = ownedValue(item, found.below);
    return [isMap(value) ? { ...Object.fromEntries(found.named.keys ?? []), ...value } : value];
  });
}

function stepsOf(fields: JsonObject): readonly (readonly [step: string, below: JsonObject])[] {
  return Object.entries(fields).flatMap(([step, below]) => (step !== '.' && isMap(below) ? [[step, below]] : []));
}

/** Identifies a list element in a field path, by keys or by value. */
export interface NamedElement {
  readonly is: (item: unknown) => boolean;
  /** The element's keys; undefined for an element of a set. */
  readonly keys: readonly (readonly [string, unknown])[] | undefined;
}

/** Parses a step that identifies a list element by its keys or its value; undefined for other steps. */
export function elementNamed(step: string): NamedElement | undefined {
  const sort = step.slice(0, 2);
  if (sort !== 'v:' && sort !== 'k:') return undefined;
  const value = parseExactJson(step.slice(2));
  if (sort === 'v:') return { is: (item) => sameJson(item, value), keys: undefined };
  if (!isMap(value)) return undefined;
  const keys = Object.entries(value);
  return { is: (item) => isMap(item) && keys.every(([key, each]) => sameJson(item[key], each)), keys };
}

/** Reports whether the value is a JSON object. */
export function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
