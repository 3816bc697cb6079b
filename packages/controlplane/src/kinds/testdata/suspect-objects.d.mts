import type { InvalidCase } from './invalid-objects.mjs';

export const suspectCases: readonly InvalidCase[];
