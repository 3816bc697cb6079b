// The only file that imports the TypeScript compiler, so only this file changes when TypeScript 7, which has a different
// API, is adopted.
import ts from 'typescript';

export { ts };
