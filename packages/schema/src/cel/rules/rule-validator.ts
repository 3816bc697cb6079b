import type { SchemaNode } from '../../node/schema-node.ts';
import type { CelEnvironment } from '../environment.ts';
import type { Budget } from '../program.ts';
import { noRatchet, Pair, type Ratchet } from './correlation.ts';
import type { RuleProblem, RulesAt } from './rule.ts';
import { type RuleCostOptions, RuleCosts } from './rule-costs.ts';
import { RuleRun } from './rule-run.ts';
import { buildRuleTree } from './rule-tree.ts';

/** Maximum total cost of the rules that validate one object, equal to upstream's limit. */
const objectBudget = 10_000_000;

/** Options for {@link compileRules}. */
export interface RuleOptions {
  readonly environment: CelEnvironment;
  /** Path of the schema in the CRD, for compile errors. @defaultValue 'spec.validation.openAPIV3Schema' */
  readonly schemaPath?: string;
  /** Estimates the costs of rules and reports rules that are too costly. @defaultValue no estimates */
  readonly costs?: RuleCostOptions;
}

/** Options for {@link RuleValidator.validate}. */
export interface RuleValidateOptions {
  /** The object before the update. Without it, transition rules are skipped. */
  readonly old?: unknown;
  /** Called for problems in unchanged parts of the object. The client receives them as warnings. */
  readonly onWarning?: (problem: RuleProblem) => void;
  /** @defaultValue 10,000,000 units */
  readonly budget?: Budget;
}

/**
 * All rules of a schema, compiled. Immutable.
 *
 * @example
 * ```ts
 * function checkUpdate(rules: RuleValidator, old: unknown, object: unknown): void {
 *   for (const problem of rules.validate(object, { old, onWarning: ({ message }) => console.warn(message) }))
 *     console.error(problem.message);
 * }
 * ```
 */
export interface RuleValidator {
  /** Compile errors and excessive costs, which require rejecting the CRD. */
  readonly problems: readonly RuleProblem[];
  /** Runs the rules on an object. The object must already be valid against the schema. */
  validate(object: unknown, options?: RuleValidateOptions): readonly RuleProblem[];
}

/**
 * Compiles the rules of a custom resource's schema (`x-kubernetes-validations`).
 *
 * `schema` is the schema of the whole object. `rules` are the rules with their locations; {@link rulesOf} collects them from
 * a CRD's JSON schema. Messages, including compile errors, match upstream's (1.36). Does not throw for invalid rules,
 * but reports them in {@link RuleValidator.problems}.
 *
 * @example
 * ```ts
 * const patterns = new PatternCache();
 * const { node } = compileStructuralSchema(schema, { compilePattern: (source) => patterns.get(source) });
 * const rules = compileRules(node, rulesOf(schema), { environment: kubernetesEnvironment({ patterns }) });
 * const problems = rules.validate({ spec: { min: 3, max: 1 } });
 * ```
 */
export function compileRules(schema: SchemaNode, rules: readonly RulesAt[], options: RuleOptions): RuleValidator {
  const problems: RuleProblem[] = [];
  const { environment, schemaPath = 'spec.validation.openAPIV3Schema' } = options;
  const costs = options.costs && new RuleCosts(options.costs, schemaPath);
  const root = buildRuleTree(schema, rules, { environment, schemaPath, problems, costs });
  return {
    problems,
    validate(object, { old, onWarning, budget = { remaining: objectBudget } } = {}) {
      const run = new RuleRun(budget, onWarning);
      const ratchet: Ratchet = old === undefined ? noRatchet : { current: new Pair(object, old), ancestor: undefined };
      run.visit(root, { value: object, old, path: '', ratchet });
      return run.problems;
    },
  };
}
