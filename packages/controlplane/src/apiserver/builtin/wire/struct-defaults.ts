import type { StructDefaults } from './wire-types.ts';

/** One structure's defaults, ready for the map that {@link WireTypes} takes. */
export type StructDefaultsEntry = readonly [type: string, StructDefaults];

/** Names the structure that a function sets defaults of. */
export function defaultsOf<T extends object>(type: string, set: (value: T) => void): StructDefaultsEntry {
  // The walker hands each function objects of the structure it is registered for, normalised.
  return [type, (value) => set(value as T)];
}
