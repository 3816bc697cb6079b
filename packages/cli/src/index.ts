// Preserved in the declarations, which use Node's types: consumers need not add them to their own `types`.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { cliEnvironment } from './program/process-environment.ts';
export { runCli } from './run-cli.ts';
