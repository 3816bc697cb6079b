import type { StructDefaults } from './wire-types.ts';

/** An entry of the map of defaults for {@link WireTypes}: a structure's name, and the function that sets its defaults. */
export type StructDefaultsEntry = readonly [type: string, StructDefaults];

/** Creates the entry of a structure. */
export function defaultsOf<T extends object>(type: string, set: (value: T) => void): StructDefaultsEntry {
  // WireTypes passes each function only normalized objects of its structure.
  return [type, (value) => set(value as T)];
}
