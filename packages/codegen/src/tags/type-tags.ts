import type { DocTag } from '../compiler/type-model.ts';
import type { Draft } from '../types/draft.ts';
import { quantity } from '../types/known-schemas.ts';

/** Applies a tag that sets the type of a value. Returns false for other tags. */
export function applyTypeTag(draft: Draft, { name, text }: DocTag): boolean {
  switch (name.split('.').at(-1)) {
    case 'int32':
    case 'int64':
      draft.type = 'integer';
      draft.format = name.split('.').at(-1) as string;
      return true;
    case 'integer':
      draft.type = 'integer';
      return true;
    case 'float':
      draft.type = 'number';
      return true;
    case 'double':
      draft.type = 'number';
      draft.format = 'double';
      return true;
    case 'quantity':
      delete draft.type;
      Object.assign(draft, quantity);
      return true;
    case 'intOrString':
      delete draft.type;
      delete draft['x-kubernetes-preserve-unknown-fields'];
      Object.assign(draft, { anyOf: quantity.anyOf, 'x-kubernetes-int-or-string': true });
      return true;
    case 'type':
      draft.type = text;
      // Only objects can have unknown fields.
      if (text !== 'object') delete draft['x-kubernetes-preserve-unknown-fields'];
      return true;
    case 'schemaless':
      for (const key of Object.keys(draft)) if (key !== 'description') Reflect.deleteProperty(draft, key);
      return true;
    case 'preserveUnknownFields':
      draft['x-kubernetes-preserve-unknown-fields'] = true;
      return true;
    case 'embeddedResource':
      draft.type = 'object';
      draft['x-kubernetes-embedded-resource'] = true;
      return true;
    default:
      return false;
  }
}
