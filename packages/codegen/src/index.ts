export type { CrdChange } from './changes/change.ts';
export { compareCrds } from './changes/compare-crds.ts';
export type { Crd } from './crd/crd.ts';
export { type GenerateResult, Generator, generate } from './generate.ts';
export { importCrd } from './import/import-crd.ts';
export { formatProblem, type Problem } from './problem.ts';
