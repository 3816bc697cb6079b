import { KubewrightError } from '@kubewright/apimachinery';
import { RE2JS } from 're2js';

/** A pattern with the semantics of Go and the API: RE2 syntax, matched anywhere in the text unless anchored, in linear time. */
export interface Pattern {
  readonly source: string;
  /** True if the pattern matches anywhere in the text. */
  test(text: string): boolean;
  /** Returns all matches, or the first `limit` of them. */
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

/** Length from which an automaton is worth its states, in UTF-16 units. */
const longText = 1_000;
/** Size of a pattern, in RE2 instructions, from which an automaton costs more than it saves: each state lists instructions. */
const largePattern = 1_000;

/**
 * Compiles a pattern. Matching takes at most linear time, even for hostile patterns: there is no backtracking.
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
    test: (text) =>
      // A matcher also finds groups, which takes 30 times as long as the automaton of `test` for a megabyte.
      text.length < longText || compiled.programSize() >= largePattern
        ? compiled.matcher(text).find()
        : compiled.test(text),
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
