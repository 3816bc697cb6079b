import { defined } from '@kubewright/apimachinery/internal';
import { firstSentence, type Schema, titleOf } from '../render/kind-summary.ts';

/** The maximum depth of fields in a console's form. */
const maxDepth = 3;
const ui = 'urn:alm:descriptor:com.tectonic.ui';

/** Returns the descriptors of the fields in `spec` or `status` that a console shows. */
export function descriptorsOf(schema: Schema | undefined): readonly object[] {
  return fieldsOf(schema, '', maxDepth);
}

function fieldsOf(schema: Schema | undefined, path: string, depth: number): readonly object[] {
  if (depth === 0) return [];
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const own = path === '' ? name : `${path}.${name}`;
    const hint = hintOf(name, field);
    const description = firstSentence(field.description);
    const descriptor = {
      path: own,
      displayName: titleOf(name),
      ...defined({ description }),
      ...(hint !== undefined && { 'x-descriptors': [hint] }),
    };
    return [descriptor, ...fieldsOf(field, own, depth - 1)];
  });
}

function hintOf(name: string, { type }: Schema): string | undefined {
  if (name === 'conditions' && type === 'array') return 'urn:alm:descriptor:io.kubernetes.conditions';
  if (name === 'replicas' && type === 'integer') return `${ui}:podCount`;
  if (type === 'integer' || type === 'number') return `${ui}:number`;
  if (type === 'boolean') return `${ui}:booleanSwitch`;
  return type === 'string' ? `${ui}:text` : undefined;
}
