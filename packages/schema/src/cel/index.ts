export type { Unlimited } from './cost/sized-type.ts';
export { CelEnvironment, type EnvironmentOptions } from './environment.ts';
export { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.ts';
export { type CelExpression, compileExpression, type ExpressionOptions } from './expression.ts';
export { kubernetesEnvironment } from './kubernetes-environment.ts';
export {
  type AccessAnswer,
  type AccessQuestion,
  type AskAccess,
  AUTHORIZER_TYPE,
  AuthorizerValue,
  RESOURCE_CHECK_TYPE,
  ResourceCheckValue,
} from './library/authorizer.ts';
export { type Budget, type CelProgram, compileProgram, DEFAULT_BUDGET, type ProgramOptions } from './program.ts';
export type { RuleProblem, RulesAt, SchemaStep } from './rules/rule.ts';
export type { RuleCostOptions } from './rules/rule-costs.ts';
export {
  compileRules,
  type RuleOptions,
  type RuleValidateOptions,
  type RuleValidator,
} from './rules/rule-validator.ts';
export { rulesOf } from './rules/rules-of.ts';
export type { CelValue } from './values/value.ts';
