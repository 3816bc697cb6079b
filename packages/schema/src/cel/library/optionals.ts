import { fail } from '../errors.ts';
import { optionalMacros } from '../syntax/binding-macros.ts';
import { dynType, optionalOf } from '../types/cel-type.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { type CelList, elements, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import { type Library, type Overload, overload } from './library.ts';

/** Optional values. `.?` and `[?` also require the environment's `optionalSyntax`. */
export const optionalsLibrary: Library = {
  name: 'cel.lib.optional',
  macros: optionalMacros,
  types: [['optional_type', optionalOf(dynType)]],
  overloads: [
    overload<[CelValue]>('::optional.of(V) optional(V)', (_, value) => new CelOptional(value)),
    overload<[CelValue]>('::optional.ofNonZeroValue(V) optional(V)', (_, value) =>
      isZero(value) ? CelOptional.none : new CelOptional(value),
    ),
    overload<[]>('::optional.none() optional(V)', () => CelOptional.none),
    overload<[CelOptional]>('optional(V).value() V', (_, { value }) =>
      value === undefined ? fail('optional.none() dereference') : value,
    ),
    overload<[CelOptional]>('optional(V).hasValue() bool', (_, { value }) => value !== undefined),
    overload<[readonly CelValue[] | CelList]>('list(V).first() optional(V)', (_, list) => pick(list, 0)),
    overload<[readonly CelValue[] | CelList]>('list(V).last() optional(V)', (_, list) => pick(list, list.length - 1)),
    overload<[readonly CelValue[] | CelList]>('::optional.unwrap(list(optional(V))) list(V)', (_, list) =>
      unwrap(list),
    ),
    overload<[readonly CelValue[] | CelList]>('list(optional(V)).unwrapOpt() list(V)', (_, list) => unwrap(list)),
    ...declared(
      'optional(V).or(optional(V)) optional(V)',
      'optional(V).orValue(V) V',
      '_[?_](list(V), int) optional(V)',
      '_[?_](optional(list(V)), int) optional(V)',
      '_[?_](map(K, V), K) optional(V)',
      '_[?_](optional(map(K, V)), K) optional(V)',
      '_[_](optional(list(V)), int) optional(V)',
      '_[_](optional(map(K, V)), K) optional(V)',
    ),
  ],
};

/**
 * Declares functions for the checker. Their implementations are never called, because the compiler handles these
 * functions directly.
 */
function declared(...signatures: string[]): Overload[] {
  return signatures.map((signature) => overload(signature, () => fail('no such overload')));
}

function pick(list: readonly CelValue[] | CelList, index: number): CelOptional {
  const value = elements(list)[index];
  return value === undefined ? CelOptional.none : new CelOptional(value);
}

function unwrap(list: readonly CelValue[] | CelList): readonly CelValue[] {
  return elements(list).flatMap((element) =>
    element instanceof CelOptional && element.value !== undefined ? [element.value] : [],
  );
}

/** True if the value is the zero value of its type. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (isList(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.seconds === -62_135_596_800 && value.nanos === 0;
  return value instanceof CelOptional && value.value === undefined;
}
