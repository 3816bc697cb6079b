import type { StructDefaults } from './wire-types.ts';

/** One structure's defaults, as an entry of the map for {@link WireTypes}. */
export type StructDefaultsEntry = readonly [type: string, StructDefaults];

/** Creates the entry for a structure's defaults. */
export function defaultsOf<T extends object>(type: string, set: (value: T) => void): StructDefaultsEntry {
  // The walker passes each function only normalized objects of its structure.
  return [type, (value) => set(value as T)];
}
