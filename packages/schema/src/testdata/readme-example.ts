import {
  checkStructural,
  compileExpression,
  compileStructuralSchema,
  type JsonSchema,
  kubernetesEnvironment,
  PatternCache,
  problemText,
} from '@kubewright/schema';

const patterns = new PatternCache();
const replicas: JsonSchema = { type: 'integer', minimum: 1, default: 1 };
const source: JsonSchema = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { replicas } } },
};
const schema = compileStructuralSchema(source, { compilePattern: (pattern) => patterns.get(pattern) });
export const problems: readonly string[] = schema.validate({ spec: { replicas: 0 } }).map(problemText);

const environment = kubernetesEnvironment({ patterns });
const small = compileExpression('object.spec.replicas <= 5', { environment, variables: { object: 'dyn' } });
export const isSmall: boolean = small.evaluate({ object: { spec: { replicas: 3 } } }) === true;
