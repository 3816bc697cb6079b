/** Returns the median. */
export function median(numbers) {
  return quantile(numbers, 0.5);
}

/** Returns a quantile; `part` ranges from 0 to 1. */
export function quantile(numbers, part) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Combines the figures of several runs: `choose` picks one value per name. */
export function merge(runs, choose) {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, choose(runs.map((run) => run[name]))]));
}
