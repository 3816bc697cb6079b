/** A literal, an escape or a class, in which parentheses mean nothing; or the start of a capturing group. */
const token = /\\Q.*?(?:\\E|$)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\((?:\?P?<\w+>|(?!\?))/gs;

/**
 * Returns a valid RE2 pattern with its capturing groups replaced by plain ones. It matches the same texts, and in a third of
 * the time for patterns such as `(a?){1000}`, because a matcher keeps the groups of each place in the pattern.
 */
export function withoutGroups(source: string): string {
  return source.replace(token, (found) => (found.startsWith('(') ? '(?:' : found));
}
