import type { CelDouble } from './double.ts';
import type { CelDuration } from './duration.ts';
import type { CelList } from './list.ts';
import type { CelMap } from './map.ts';
import type { CelOpaque } from './opaque.ts';
import type { CelOptional } from './optional.ts';
import type { CelTimestamp } from './timestamp.ts';
import type { CelTypeValue } from './type-value.ts';
import type { CelUint } from './uint.ts';

/**
 * A CEL value, and its representation:
 *
 * | type | representation |
 * |---|---|
 * | int | `number` if it is a safe integer, otherwise `bigint` (never a `bigint` for a safe integer) |
 * | double, uint | {@link CelDouble}, {@link CelUint} |
 * | string, bool, null, bytes | `string`, `boolean`, `null`, `Uint8Array` |
 * | list | array, or a {@link CelList} over JSON with a schema |
 * | map, structure | {@link CelMap} |
 * | timestamp, duration, type, optional | {@link CelTimestamp}, {@link CelDuration}, {@link CelTypeValue}, {@link CelOptional} |
 * | any library type | {@link CelOpaque} |
 *
 * Integers are by far the most common numbers in rules, so they are not boxed.
 */
export type CelValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | readonly CelValue[]
  | CelList
  | CelMap
  | CelTimestamp
  | CelDuration
  | CelTypeValue
  | CelOptional
  | CelOpaque;
