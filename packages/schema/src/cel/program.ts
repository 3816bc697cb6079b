import type { CelEnvironment } from './environment.ts';
import { CelBudgetError, CelEvaluationError, Fault } from './errors.ts';
import { Compiler } from './eval/compiler.ts';
import { Frame } from './eval/frame.ts';
import { Scope } from './eval/scope.ts';
import { parse } from './syntax/parser.ts';
import { type CelType, dynType, typeName } from './types/cel-type.ts';
import { type Checked, check } from './types/checker.ts';
import { checkLiterals } from './types/literal-checks.ts';
import type { CelValue } from './values/value.ts';

/** Maximum cost of one evaluation, equal to upstream's per-call limit. */
export const defaultBudget = 1_000_000;

/** A compiled expression. Immutable and reentrant: any number of evaluations may share it. */
export interface CelProgram {
  readonly source: string;
  /** Static type of the result; `dyn` if the expression was not checked. */
  readonly resultType: CelType;
  /** The name of {@link resultType} in messages, as Go's CEL library prints it: `map(string, dyn)`, `google.protobuf.Duration`. */
  readonly resultTypeName: string;
  /** The checker's results; undefined if the expression was not checked. */
  readonly checked: Checked | undefined;
  /** True if the expression refers to the variable. */
  uses(variable: string): boolean;
  /**
   * Evaluates the expression. `values` maps variable names to values. Reading a variable without a value fails.
   * @throws CelEvaluationError, CelBudgetError
   */
  evaluate(values: Readonly<Record<string, CelValue | undefined>>, budget?: Budget): CelValue;
}

/** A budget in upstream's cost units. Several evaluations may share it; each deducts its cost. */
export interface Budget {
  remaining: number;
}

/** Options for {@link compileProgram}. */
export interface ProgramOptions {
  readonly environment: CelEnvironment;
  /** Types of variables by name. */
  readonly variables: ReadonlyMap<string, CelType>;
  /** Names of the variables that are computed on demand: their values are functions. @defaultValue none */
  readonly deferred?: ReadonlySet<string>;
  /** Skips the type checker, so that types are resolved at run time. @defaultValue false */
  readonly unchecked?: boolean;
}

/**
 * Parses, checks and compiles an expression.
 * @throws CelCompileError
 */
export function compileProgram(source: string, options: ProgramOptions): CelProgram {
  const { environment, variables } = options;
  const parsed = parse(source, {
    macros: environment.macros,
    optionalSyntax: environment.options.optionalSyntax ?? false,
    escapedIdentifiers: environment.options.escapedIdentifiers ?? false,
  });
  const checked = options.unchecked === true ? undefined : check(parsed, environment, variables);
  if (checked !== undefined && environment.options.checkLiterals === true) checkLiterals(checked, environment);
  const scope = Scope.root(variables.keys(), options.deferred);
  const compiler = new Compiler(environment, checked ?? { typeOf: () => dynType, referenceOf: () => undefined });
  const run = compiler.branch(parsed.expr, scope);
  const names = [...variables.keys()];
  const { size } = scope;
  const resultType = checked?.resultType ?? dynType;
  return {
    source,
    resultType,
    get resultTypeName() {
      return typeName(resultType);
    },
    checked,
    uses: (variable) => scope.wasRead(variable),
    evaluate(values, budget = { remaining: defaultBudget }) {
      const slots = new Array<CelValue | undefined>(size);
      for (let i = 0; i < names.length; i++) slots[i] = values[names[i]!];
      const frame = new Frame(slots, { budget: budget.remaining, patterns: environment.patterns });
      try {
        return run(frame);
      } catch (error) {
        throw outward(error);
      } finally {
        budget.remaining = frame.budget;
      }
    },
  };
}

/** Converts an internal error to its public form. */
function outward(error: unknown): unknown {
  if (error instanceof Fault) return new CelEvaluationError(error.message);
  // The stack overflowed. Expressions nest at most a few hundred levels, so the cause is deeply nested data.
  if (error instanceof RangeError) return new CelBudgetError();
  return error;
}
