export { CelEnvironment, type EnvironmentOptions } from './environment.ts';
export { CelBudgetError, CelCompileError, CelEvaluationError } from './errors.ts';
export { type Budget, type CelProgram, compileProgram, DEFAULT_BUDGET, type ProgramOptions } from './program.ts';
