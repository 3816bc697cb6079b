import { RE2JS } from 're2js';

/** A pattern as Go and the API mean it: RE2 syntax, found anywhere in the text unless anchored, linear in time. */
export interface Pattern {
  readonly source: string;
  /** True if the pattern is found in the text. */
  test(text: string): boolean;
  /** The first place where it is found, or all of them up to `limit`. */
  findAll(text: string, limit?: number): readonly string[];
}

/** A pattern that is no RE2 syntax. The message is Go's. */
export class PatternError extends Error {
  readonly code = 'KW4201';

  constructor(source: string, options: { readonly cause: unknown }) {
    super(`error parsing regexp: ${reasonOf(options.cause)}`, options);
    this.name = 'PatternError';
    this.source = source;
  }

  readonly source: string;
}

function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/^error parsing regexp: /, '');
}

/**
 * Compiles a pattern. Hostile patterns are slow at worst in proportion to the text: no backtracking.
 * @throws {@link PatternError}
 */
export function compilePattern(source: string): Pattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (cause) {
    throw new PatternError(source, { cause });
  }
  return {
    source,
    test: (text) => compiled.matcher(text).find(),
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
