import type { FieldError } from '@kubewright/apimachinery';
import {
  builtinSchema,
  type CelEnvironment,
  type CompilePattern,
  compileRules,
  compileStructuralSchema,
  type FieldProblem,
  type JsonSchema,
  type RuleProblem,
  rulesOf,
  type SchemaNode,
  type StructuralSchema,
} from '@kubewright/schema';

/** What schemas are compiled with; one set for all CRDs of a server. */
export interface SchemaTools {
  readonly compilePattern: CompilePattern;
  readonly environment: CelEnvironment;
}

/** A CRD version's schema with its rules: everything that decides whether an object is good. */
export interface CompiledVersion {
  readonly schema: StructuralSchema;
  /** Faults of a whole object; CEL rules are asked only when the schema has none. */
  validate(object: unknown, old: unknown): readonly FieldError[];
}

/** Compiles a schema that CRD validation has accepted. */
export function compileVersion(source: JsonSchema, tools: SchemaTools): CompiledVersion {
  const schema = compileStructuralSchema(source, { compilePattern: tools.compilePattern, objectMeta: objectMeta() });
  const rules = compileRules(schema.node, rulesOf(source), { environment: tools.environment });
  return {
    schema,
    validate(object, old) {
      const problems = schema.validate(object, old === undefined ? {} : { old });
      if (problems.length > 0) return problems.map(fieldErrorOf);
      return rules.validate(object, { old }).map(fieldErrorOf);
    },
  };
}

/** The schema and rule packages speak of the same faults in the form of a status cause. */
export function fieldErrorOf({ reason, field, message }: FieldProblem | RuleProblem): FieldError {
  return { type: reason, field, body: message };
}

function objectMeta(): SchemaNode | undefined {
  return builtinSchema({ group: '', version: 'v1', kind: 'Pod' })?.properties?.get('metadata');
}
