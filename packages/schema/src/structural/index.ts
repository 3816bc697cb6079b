export { type CheckOptions, checkStructural } from './check-schema.ts';
export { type FieldProblem, type FieldProblemReason, problemText } from './field-problem.ts';
export { isKnownFormat } from './formats.ts';
export type { JsonSchema, ValidationRule } from './json-schema.ts';
export type { Pruned } from './prune.ts';
export { compileStructuralSchema, type StructuralSchema, type StructuralSchemaOptions } from './structural-schema.ts';
export type { CompilePattern } from './validator.ts';
