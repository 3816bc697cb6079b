// Preserved in the declarations, which use Node's types: consumers need not add them to their own `types`.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { processSurroundings } from './program/process-surroundings.ts';
export { runCli } from './run-cli.ts';
