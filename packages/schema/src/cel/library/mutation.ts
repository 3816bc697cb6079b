import { type CelType, dynType, stringType, structOf } from '../types/cel-type.ts';
import { type Library, overload } from './library.ts';

const patchFields: ReadonlyMap<string, CelType> = new Map([
  ['op', stringType],
  ['path', stringType],
  ['from', stringType],
  ['value', dynType],
]);

const patchType: CelType = structOf('JSONPatch', { typeOf: (field) => patchFields.get(field) });

/**
 * Returns the type of `Object` or of a structure in it, such as `Object.spec`. Fields may have any value; their names
 * are checked when the structure is converted to JSON.
 */
function objectType(name: string): CelType {
  return structOf(name, { typeOf: () => dynType });
}

/** The structures of mutating admission policies: `Object.spec{replicas: 3}`, `JSONPatch{op: 'remove', path: '/spec/replicas'}`. */
export const mutationLibrary: Library = {
  name: 'kubernetes.jsonpatch',
  structOf: (name) => {
    if (name === patchType.name) return patchType;
    return name === 'Object' || name.startsWith('Object.') ? objectType(name) : undefined;
  },
  overloads: [
    overload<[string]>('::jsonpatch.escapeKey(string) string', (_, key) =>
      key.replaceAll('~', '~0').replaceAll('/', '~1'),
    ),
  ],
};
