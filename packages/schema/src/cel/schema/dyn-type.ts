import { fail } from '../errors.ts';
import { dynType } from '../types/cel-type.ts';
import { CelDouble } from '../values/double.ts';
import type { CelValue } from '../values/value.ts';
import type { DeclType } from './decl-type.ts';
import { SchemaList } from './schema-list.ts';
import { type MemberTypes, SchemaObject } from './schema-object.ts';

const members: MemberTypes = { structure: false, memberType: () => dynDecl };

/** The CEL view of JSON without a schema: types are resolved at run time, and whole numbers are ints. */
export const dynDecl: DeclType = {
  type: dynType,
  schema: { type: 'any' },
  plain: false,
  toValue(raw): CelValue {
    switch (typeof raw) {
      case 'string':
      case 'boolean':
      case 'bigint':
        return raw;
      case 'number':
        return Number.isSafeInteger(raw) ? raw + 0 : new CelDouble(raw);
      case 'object':
        if (raw === null) return null;
        if (Array.isArray(raw)) return new SchemaList(raw, { element: dynDecl, listType: 'atomic', mapKeys: [] });
        // The cast is safe: JSON objects have string keys.
        return new SchemaObject(raw as { readonly [property: string]: unknown }, members);
      default:
        return fail(`${typeof raw} is not a JSON value`);
    }
  },
};
