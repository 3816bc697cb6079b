export type InvalidCase = readonly [resource: string, changes: Readonly<Record<string, unknown>>];
export const invalidCases: readonly InvalidCase[];
export function build(one: InvalidCase): { readonly resource: string; readonly object: unknown };
