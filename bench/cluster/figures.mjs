/** The middle one of some numbers. */
export function median(numbers) {
  return quantile(numbers, 0.5);
}

/** The number below which the given part of them lies. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** One figure for each name out of several runs. */
export function merge(runs, choose) {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, choose(runs.map((run) => run[name]))]));
}
