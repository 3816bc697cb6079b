import { invalidField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { CelCompileError, compileExpression, kubernetesEnvironment } from '@kubewright/schema';
import type { SchemaNode } from '@kubewright/schema/internal';
import type { Check } from '../validation/check.ts';

const maxLength = 10_240;
const text: SchemaNode = { type: 'string' };
const any: SchemaNode = { type: 'any', intOrString: true };

function mapOf(additionalProperties: SchemaNode): SchemaNode {
  return { type: 'object', additionalProperties };
}

/**
 * The variable `device`. Schemas have no type for quantities or for attributes, which can have any type, so both are
 * `dyn`.
 */
const device: SchemaNode = {
  type: 'object',
  properties: new Map([
    ['driver', text],
    ['allowMultipleAllocations', { type: 'boolean' }],
    ['attributes', mapOf(mapOf(any))],
    ['capacity', mapOf(mapOf(any))],
  ]),
};

/** Validates the CEL expression that selects devices. Mirrors `k8s.io/dynamic-resource-allocation/cel` (1.36), without cost limits. */
export const deviceExpression: Check<string> = (expression = '', path) => {
  if (Buffer.byteLength(expression) > maxLength) return [tooLongField(path, { max: maxLength })];
  try {
    const { program } = compileExpression(expression, { environment: kubernetesEnvironment(), variables: { device } });
    const type = program.resultTypeName;
    if (type === 'bool' || type === 'dyn') return [];
    return [invalidField(path, expression, `must evaluate to bool or the unknown type, not ${type}`)];
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error;
    return [invalidField(path, expression, `compilation failed: ${error.message}`)];
  }
};
