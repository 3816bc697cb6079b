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
  /** What the schema says against an object, rules apart. */
  schemaFaults(object: unknown, old: unknown): readonly FieldError[];
  /** What the rules say against it, unless what is known already keeps them from being asked. */
  ruleFaults(object: unknown, options: RuleFaultsOptions): readonly FieldError[];
}

/** How rules are asked. */
export interface RuleFaultsOptions {
  readonly old: unknown;
  /** Faults that were found before. */
  readonly known: readonly FieldError[];
  /** Told of rules that an unchanged part of the object breaks. */
  readonly warn: (text: string) => void;
}

/** Faults after which rules would look at values that are not what they expect. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_CHECKED: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  body: 'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** Compiles a schema that CRD validation has accepted. */
export function compileVersion(source: JsonSchema, tools: SchemaTools): CompiledVersion {
  const schema = compileStructuralSchema(source, { compilePattern: tools.compilePattern, objectMeta: objectMeta() });
  const rules = compileRules(schema.node, rulesOf(source), { environment: tools.environment });
  const hasRules = rulesOf(source).length > 0;
  return {
    schema,
    schemaFaults: (object, old) => schema.validate(object, old === undefined ? {} : { old }).map(fieldErrorOf),
    ruleFaults(object, { old, known, warn }) {
      if (!hasRules) return [];
      if (known.some(({ type }) => BLOCKING.has(type))) return [NOT_CHECKED];
      const onWarning = ({ field, message }: RuleProblem): void => warn(`${field}: ${message}`);
      return rules.validate(object, { old, onWarning }).map(fieldErrorOf);
    },
  };
}

/** The schema and rule packages speak of the same faults in the form of a status cause. */
export function fieldErrorOf({ reason, field, message }: FieldProblem | RuleProblem): FieldError {
  return { type: reason, field, body: message };
}

/** The schema of every object's metadata. */
export function objectMeta(): SchemaNode | undefined {
  return builtinSchema({ group: '', version: 'v1', kind: 'Pod' })?.properties?.get('metadata');
}
