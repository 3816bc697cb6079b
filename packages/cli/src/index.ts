// Preserved in the declarations, which use Node's types: consumers need not add them to their own `types`.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { CliError, type CliErrorCode } from './program/cli-error.ts';
export { processSurroundings } from './program/process-surroundings.ts';
export type { Child, Output, SpawnOptions, Surroundings } from './program/surroundings.ts';
export { runCli } from './run-cli.ts';
