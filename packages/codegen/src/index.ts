export type { CrdChange, CrdChangeKind } from './changes/change.ts';
export { compareCrds } from './changes/compare-crds.ts';
export type { ProjectOptions } from './compiler/project.ts';
export type { Crd, CrdColumn, CrdNames, CrdVersion } from './crd/crd.ts';
export { type EditorSchemaFile, editorSchemas } from './editor/editor-schema.ts';
export {
  type GeneratedFile,
  type GenerateOptions,
  type GenerateResult,
  Generator,
  generate,
} from './generate.ts';
export { type ImportOptions, importCrd } from './import/import-crd.ts';
export { ImportError } from './import/import-error.ts';
export { formatProblem, type Position, type Problem, type ProblemCode } from './problem.ts';
export type { RbacRule } from './rbac/rule.ts';
