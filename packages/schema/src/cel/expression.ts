import type { SchemaNode } from '../node/schema-node.ts';
import type { CelEnvironment } from './environment.ts';
import { type Budget, type CelProgram, compileProgram } from './program.ts';
import { type DeclType, declTypeOf } from './schema/decl-type.ts';
import { dynDecl } from './schema/dyn-type.ts';
import type { CelType } from './types/cel-type.ts';
import { toJson } from './values/to-json.ts';
import type { CelValue } from './values/value.ts';

/** Options for {@link compileExpression}. */
export interface ExpressionOptions {
  readonly environment: CelEnvironment;
  /** Schemas of the JSON variables by name; `dyn` if the schema is unknown. */
  readonly variables: Readonly<Record<string, SchemaNode | 'dyn'>>;
  /** Types of the variables whose values are CEL values, not JSON, by name. @defaultValue none */
  readonly opaque?: Readonly<Record<string, CelType>>;
  /**
   * Types of the variables and fields that are computed on demand, by full name, such as `variables.limit`. Their
   * values are functions that return a CEL value or throw a {@link CelEvaluationError}. @defaultValue none
   */
  readonly deferred?: Readonly<Record<string, CelType>>;
}

/**
 * A compiled expression over JSON values. Immutable and reentrant.
 *
 * @example
 * ```ts
 * const matches = (condition: CelExpression, object: unknown): boolean => condition.evaluate({ object }) === true;
 * ```
 */
export interface CelExpression {
  readonly program: CelProgram;
  /**
   * Evaluates the expression. `values` contains JSON, or CEL values for opaque variables. Reading a variable without a value
   * fails.
   * @throws CelEvaluationError, CelBudgetError
   */
  evaluate(values: Readonly<Record<string, unknown>>, budget?: Budget): CelValue;
  /** Converts a result to JSON. @throws CelEvaluationError if the result has no JSON form */
  toJson(result: CelValue): unknown;
}

/**
 * Compiles an expression over JSON variables, as in admission policies and match conditions.
 *
 * @example
 * const ready = compileExpression('object.spec.replicas <= 5', { environment, variables: { object: node } });
 * ready.evaluate({ object: deployment }) === true
 *
 * @throws CelCompileError
 */
export function compileExpression(source: string, options: ExpressionOptions): CelExpression {
  const declared = new Map<string, DeclType>();
  for (const [name, schema] of Object.entries(options.variables)) {
    declared.set(name, schema === 'dyn' ? dynDecl : declTypeOf(schema, { name, resourceRoot: false }));
  }
  const types = new Map(Array.from(declared, ([name, { type }]) => [name, type ?? dynDecl.type!]));
  const { deferred = {} } = options;
  const opaque = Object.entries({ ...options.opaque, ...deferred });
  for (const [name, type] of opaque) types.set(name, type);
  const program = compileProgram(source, {
    environment: options.environment,
    variables: types,
    deferred: new Set(Object.keys(deferred)),
  });
  return {
    program,
    evaluate(values, budget) {
      const converted: Record<string, CelValue> = {};
      for (const [name, type] of declared) {
        const value = values[name];
        if (value !== undefined && program.uses(name)) converted[name] = type.toValue(value);
      }
      for (const [name] of opaque) converted[name] = values[name] as CelValue;
      return budget === undefined ? program.evaluate(converted) : program.evaluate(converted, budget);
    },
    toJson,
  };
}
