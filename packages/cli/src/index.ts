// Kept in the declarations, which name Node's types: whoever compiles against them need not list these.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { CliError, type CliErrorCode } from './program/cli-error.ts';
export { processSurroundings } from './program/process-surroundings.ts';
export { runCli } from './program/run-cli.ts';
export type { Child, Output, SpawnOptions, Surroundings } from './program/surroundings.ts';
