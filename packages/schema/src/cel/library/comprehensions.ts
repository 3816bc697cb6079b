import { fail } from '../errors.ts';
import { twoVariableMacros } from '../syntax/loop-macros.ts';
import { type Library, overload } from './library.ts';

/** Macros with two variables: index and value, or key and value. */
export const comprehensionsLibrary: Library = {
  name: 'cel.lib.ext.comprev2',
  macros: twoVariableMacros,
  overloads: [
    // Loops insert without calling these; the checker needs them to type the expansion.
    overload('::cel.@mapInsert(map(K, V), K, V) map(K, V)', () => fail('no such overload')),
    overload('::cel.@mapInsert(map(K, V), map(K, V)) map(K, V)', () => fail('no such overload')),
  ],
};
