export type { SchemaTools } from './compile-version.ts';
export { crdDefinition } from './crd-definition.ts';
export { CrdServing } from './crd-serving.ts';
