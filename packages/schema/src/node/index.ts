export type { SchemaNode } from './schema-node.ts';
