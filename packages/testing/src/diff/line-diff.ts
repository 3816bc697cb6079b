/** Number of unchanged lines shown around a change. */
const context = 3;
/**
 * Maximum number of lines. Larger inputs are compared only from the first difference on, because the comparison takes
 * quadratic time.
 */
const maxLines = 400;

/**
 * Compares two strings line by line. Lines that are only in `before` start with `- `, lines that are only in `after`
 * with `+ `, all others start with two spaces. Unchanged lines far from a change are left out. Returns an empty string
 * if the texts are equal.
 */
export function lineDiff(before: string, after: string): string {
  if (before === after) return '';
  const marked = markedLines(before.split('\n'), after.split('\n'));
  const isNear = (index: number): boolean =>
    marked.slice(Math.max(index - context, 0), index + context + 1).some((line) => !line.startsWith('  '));
  const shown: string[] = [];
  marked.forEach((line, index) => {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== '  …') shown.push('  …');
  });
  return shown.join('\n');
}

function markedLines(before: readonly string[], after: readonly string[]): readonly string[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  const [left, right] = [before.slice(start), after.slice(start)];
  const changes =
    Math.max(left.length, right.length) > maxLines
      ? [...left.map((line) => `- ${line}`), ...right.map((line) => `+ ${line}`)]
      : changesBetween(left, right);
  return [...before.slice(0, start).map((line) => `  ${line}`), ...changes];
}

/** Finds the longest common subsequence of lines; all other lines are changes. */
function changesBetween(left: readonly string[], right: readonly string[]): readonly string[] {
  // lengths[i][j]: the length of the longest common subsequence of left[i..] and right[j..].
  const lengths = Array.from({ length: left.length + 1 }, () => new Array<number>(right.length + 1).fill(0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      const row = lengths[i] as number[];
      row[j] = left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      lines.push(`  ${left[i++]}`);
      j++;
    } else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${left[i++]}`);
    } else {
      lines.push(`+ ${right[j++]}`);
    }
  }
  return lines;
}
