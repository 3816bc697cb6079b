import { fail } from '../errors.ts';
import { twoVariableMacros } from '../syntax/loop-macros.ts';
import { type Library, overload } from './library.ts';

/** The macros with two variables: index and value of lists, or key and value of maps. */
export const comprehensionsLibrary: Library = {
  name: 'cel.lib.ext.comprev2',
  macros: twoVariableMacros,
  overloads: [
    // Never called, because loops insert entries themselves. The checker needs the declarations to type the expanded macros.
    overload('::cel.@mapInsert(map(K, V), K, V) map(K, V)', () => fail('no such overload')),
    overload('::cel.@mapInsert(map(K, V), map(K, V)) map(K, V)', () => fail('no such overload')),
  ],
};
