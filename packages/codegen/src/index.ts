export type { ProjectOptions } from './compiler/project.ts';
export {
  type GeneratedFile,
  type GenerateOptions,
  type GenerateResult,
  Generator,
  generate,
} from './generate.ts';
export { formatProblem, type Position, type Problem, type ProblemCode } from './problem.ts';
export { formatYaml, formatYamlDocuments } from './yaml/format-yaml.ts';
