import type { FieldError } from '@kubewright/apimachinery';
import {
  type CelEnvironment,
  compileRules,
  compileStructuralSchema,
  type FieldProblem,
  type JsonSchema,
  type PatternCache,
  rulesOf,
  type StructuralSchema,
} from '@kubewright/schema';
import { builtinSchema, type SchemaNode } from '@kubewright/schema/internal';

/** The tools for compiling schemas; one set for all CRDs of a server. */
export interface SchemaTools {
  readonly compilePattern: PatternCache['get'];
  readonly environment: CelEnvironment;
}

/** A CRD version's compiled schema and rules, which decide whether an object is valid. */
export interface CompiledVersion {
  readonly schema: StructuralSchema;
  /** Returns the schema errors of an object, without rules. */
  schemaFaults(object: unknown, old: unknown): readonly FieldError[];
  /** Returns the rule errors of an object, unless known errors already prevent evaluating the rules. */
  ruleFaults(object: unknown, options: RuleFaultsOptions): readonly FieldError[];
}

/** Options for evaluating rules. */
export interface RuleFaultsOptions {
  readonly old: unknown;
  /** Errors found earlier. */
  readonly known: readonly FieldError[];
  /** Called for rules that an unchanged part of the object violates. */
  readonly warn: (text: string) => void;
}

/** Errors after which the rules cannot run: values may have unexpected types or sizes. */
const blocking = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const notChecked: FieldError = {
  type: 'FieldValueInvalid',
  field: '<nil>',
  body: 'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** A problem that a schema or a rule reports. */
type ReportedProblem = Pick<FieldProblem, 'reason' | 'field' | 'message'>;

/** Compiles a schema that passed CRD validation. */
export function compileVersion(source: JsonSchema, tools: SchemaTools): CompiledVersion {
  const schema = compileStructuralSchema(source, { compilePattern: tools.compilePattern, objectMeta: objectMeta() });
  const rules = compileRules(schema.node, rulesOf(source), { environment: tools.environment });
  const hasRules = rulesOf(source).length > 0;
  return {
    schema,
    schemaFaults: (object, old) => schema.validate(object, old === undefined ? {} : { old }).map(fieldErrorOf),
    ruleFaults(object, { old, known, warn }) {
      if (!hasRules) return [];
      if (known.some(({ type }) => blocking.has(type))) return [notChecked];
      const onWarning = ({ field, message }: ReportedProblem): void => warn(`${field}: ${message}`);
      return rules.validate(object, { old, onWarning }).map(fieldErrorOf);
    },
  };
}

/** Converts an error from the schema and rule packages, which use the form of a status cause. */
export function fieldErrorOf({ reason, field, message }: ReportedProblem): FieldError {
  return { type: reason, field, body: message };
}

/** Returns the schema of object metadata, common to all kinds. */
export function objectMeta(): SchemaNode | undefined {
  return builtinSchema({ group: '', version: 'v1', kind: 'Pod' })?.properties?.get('metadata');
}
