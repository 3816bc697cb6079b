export { compilePattern, type Pattern, PatternError } from './pattern.ts';
export { PatternCache } from './pattern-cache.ts';
