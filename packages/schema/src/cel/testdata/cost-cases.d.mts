import type { JsonSchema } from '../../structural/index.ts';

export const measuredSchema: JsonSchema;
export const expressions: readonly string[];
export const schemas: readonly (readonly [name: string, spec: JsonSchema])[];
export const roots: readonly (readonly [name: string, root: JsonSchema])[];
