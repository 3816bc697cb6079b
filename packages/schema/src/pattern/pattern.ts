import { KubewrightError } from '@kubewright/apimachinery';
import { RE2JS } from 're2js';
import { withoutGroups } from './without-groups.ts';

/** A pattern with the semantics of Go and the API: RE2 syntax, matched anywhere in the text unless anchored, in linear time. */
export interface Pattern {
  readonly source: string;
  /** Number of RE2 instructions. Matching takes at most this times the length of the text. */
  readonly size: number;
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
const largePattern = 500;

/**
 * Compiles a pattern. Matching takes at most linear time, even for hostile patterns: there is no backtracking.
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
      // A matcher also finds the end of the match, which takes 30 times as long as the automaton of `test` for a megabyte.
      text.length < longText || size >= largePattern ? compiled.matcher(text).find() : compiled.test(text),
    findAll(text, limit = Number.POSITIVE_INFINITY) {
      const found: string[] = [];
      const matcher = compiled.matcher(text);
      while (found.length < limit && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
  };
}
