/** A parsed list of Job indexes such as `0,3-5`, or the reason why the list is invalid. */
export type ParsedIndexes =
  | { readonly count: number; readonly intervals: readonly Interval[] }
  | { readonly fault: string };

type Interval = readonly [first: number, last: number];

/** Parses a list of indexes. They must increase and be less than `completions`. Mirrors `validateIndexesFormat` (1.36). */
export function parseIndexes(text: string, completions: number): ParsedIndexes {
  const intervals: Interval[] = [];
  let count = 0;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('fault' in interval) return interval;
    const [first, last] = interval.interval;
    const before = intervals.at(-1)?.[1];
    if (before !== undefined && before >= first) return { fault: notIncreasing(before, first) };
    intervals.push([first, last]);
    count += last - first + 1;
  }
  return { count, intervals };
}

function parseInterval(text: string, completions: number): { interval: Interval } | { fault: string } {
  const parts = text.split('-');
  if (parts.length > 2) {
    const rule = "the requirement that an index interval can have at most two parts separated by '-'";
    return { fault: `the fragment ${JSON.stringify(text)} violates ${rule}` };
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^\+?\d+$/.test(part)) return { fault: `cannot convert string to integer for index: ${JSON.stringify(part)}` };
    if (Number(part) >= completions) return { fault: `too large index: ${JSON.stringify(part)}` };
    numbers.push(Number(part));
  }
  const [first = 0, last = first] = numbers;
  if (parts.length === 2 && first >= last) return { fault: notIncreasing(first, last) };
  return { interval: [first, last] };
}

function notIncreasing(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`;
}
