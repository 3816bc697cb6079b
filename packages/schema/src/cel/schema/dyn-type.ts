import { fail } from '../errors.ts';
import { DYN } from '../types/cel-type.ts';
import { CelDouble } from '../values/double.ts';
import type { CelValue } from '../values/value.ts';
import type { DeclType } from './decl-type.ts';
import { SchemaList } from './schema-list.ts';
import { type MemberTypes, SchemaObject } from './schema-object.ts';

const MEMBERS: MemberTypes = { structure: false, memberType: () => DYN_DECL };

/** JSON without a schema: types are determined at run time, and whole numbers are ints. */
export const DYN_DECL: DeclType = {
  type: DYN,
  schema: { type: 'any' },
  plain: false,
  toValue(raw): CelValue {
    switch (typeof raw) {
      case 'string':
      case 'boolean':
        return raw;
      case 'number':
        return Number.isSafeInteger(raw) ? raw + 0 : new CelDouble(raw);
      case 'object':
        if (raw === null) return null;
        if (Array.isArray(raw)) return new SchemaList(raw, { element: DYN_DECL, listType: 'atomic', mapKeys: [] });
        // Every JSON object has string keys.
        return new SchemaObject(raw as { readonly [property: string]: unknown }, MEMBERS);
      default:
        return fail(`${typeof raw} is not a JSON value`);
    }
  },
};
