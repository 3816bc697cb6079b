import type { Macro } from './macro.ts';

/** Optional parts of the language. */
export interface ParserOptions {
  readonly macros: ReadonlyMap<string, Macro>;
  /** `a.?b`, `a[?b]`, `[?a]`, `{?a: b}`. */
  readonly optionalSyntax: boolean;
  /** Field names in back-quotes. */
  readonly escapedIdentifiers: boolean;
}
