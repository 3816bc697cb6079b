import { KubewrightError } from '@kubewright/apimachinery';
import { RE2JS } from 're2js';
import { withoutGroups } from './without-groups.ts';

/**
 * A compiled pattern with the semantics of Go's `regexp`: RE2 syntax, linear time, and a match may start anywhere unless the
 * pattern is anchored.
 */
export interface Pattern {
  readonly source: string;
  /** Number of RE2 instructions. Matching takes at most `size` steps per character of the text. */
  readonly size: number;
  /** True if the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Returns all matches, or only the first `limit` matches. */
  findAll(text: string, limit?: number): readonly string[];
}

/** Thrown for a pattern that is not valid RE2 syntax. The message is Go's. */
export class PatternError extends KubewrightError {
  readonly code = 'KW4201';

  constructor(source: string, options: { readonly cause: unknown }) {
    super({ what: 'error parsing regexp', why: reasonOf(options.cause) }, options);
    this.name = 'PatternError';
    this.source = source;
  }

  readonly source: string;
}

function reasonOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause);
  return text.replace(/^error parsing regexp: /, '');
}

/** Minimum text length for which building an automaton pays off, in UTF-16 units. */
const longText = 1_000;
/**
 * Minimum pattern size for which an automaton does not pay off, because its states get too large, in RE2 instructions.
 */
const largePattern = 500;

/**
 * Compiles a pattern. Matching never backtracks, so even malicious patterns take linear time.
 * @throws {@link PatternError}
 */
export function compilePattern(source: string): Pattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
    const plain = withoutGroups(source);
    if (plain !== source) compiled = RE2JS.compile(plain);
  } catch (cause) {
    throw new PatternError(source, { cause });
  }
  const size = compiled.programSize();
  return {
    source,
    size,
    test: (text) =>
      // `matcher` avoids building the automaton that `test` uses, but takes 30 times as long for a megabyte of text.
      text.length < longText || size >= largePattern ? compiled.matcher(text).find() : compiled.test(text),
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
