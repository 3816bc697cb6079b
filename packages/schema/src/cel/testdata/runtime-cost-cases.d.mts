import type { JsonSchema } from '../../structural/index.ts';

export const cases: readonly { readonly name: string; readonly schema: JsonSchema; readonly object: unknown }[];
