import { sameJson } from '@kubewright/apimachinery/internal';
import type { SchemaNode } from '../../node/schema-node.ts';

/**
 * Pairs of new and old values, for ratcheting. If the value cannot be correlated with an old value, its nearest
 * correlated ancestor decides.
 */
export interface Ratchet {
  readonly current: Pair | undefined;
  readonly ancestor: Pair | undefined;
}

/** A value and its old value, which are compared at most once. */
export class Pair {
  readonly value: unknown;
  readonly old: unknown;
  #equal: boolean | undefined;

  constructor(value: unknown, old: unknown) {
    this.value = value;
    this.old = old;
  }

  get unchanged(): boolean {
    this.#equal ??= this.value !== null && this.old !== null && sameJson(this.value, this.old);
    return this.#equal;
  }
}

/**
 * True if problems with this value become warnings, because the update leaves the value, or its nearest correlated
 * ancestor, unchanged.
 */
export function isRatcheted({ current, ancestor }: Ratchet): boolean {
  return (current ?? ancestor)?.unchanged ?? false;
}

/** Returns the ratchet of an object's member or a map's value. */
export function ratchetMember(ratchet: Ratchet, property: string): Ratchet {
  const { current } = ratchet;
  if (current === undefined) return ratchet;
  // Both objects have been converted to the same version, so comparing these fields does not show a change by the user.
  if (ratchet.ancestor === undefined && (property === 'apiVersion' || property === 'kind')) return noRatchet;
  const [value, old] = [member(current.value, property), member(current.old, property)];
  return { current: value === undefined || old === undefined ? undefined : new Pair(value, old), ancestor: current };
}

/** Returns the ratchet of a list element. */
export function ratchetElement(ratchet: Ratchet, value: unknown, old: unknown): Ratchet {
  const { current } = ratchet;
  if (current === undefined) return ratchet;
  return { current: old === undefined ? undefined : new Pair(value, old), ancestor: current };
}

export const noRatchet: Ratchet = { current: undefined, ancestor: undefined };

/** Returns a member of a JSON object; undefined if the member is absent or the value is not an object. */
export function member(value: unknown, property: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, property))
    return undefined;
  return Reflect.get(value, property);
}

/**
 * Returns a function that finds the old value of a list element. The function finds nothing unless the list has
 * `x-kubernetes-list-type: map`.
 */
export function elementLookup(schema: SchemaNode, old: unknown): (element: unknown) => unknown {
  if (schema.listType !== 'map' || !Array.isArray(old)) return () => undefined;
  const keys = schema.listMapKeys ?? [];
  const byKey = new Map<string, unknown>();
  for (const element of old) {
    const key = keyOf(element, keys);
    if (!byKey.has(key)) byKey.set(key, element);
  }
  return (element) => byKey.get(keyOf(element, keys));
}

function keyOf(element: unknown, keys: readonly string[]): string {
  return JSON.stringify(keys.map((key) => member(element, key) ?? null));
}
