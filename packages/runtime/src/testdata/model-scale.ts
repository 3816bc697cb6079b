/** Factor for the runs of model tests: low, because `npm test` must be fast; `npm run proof` sets `KUBEWRIGHT_MODEL_SCALE`. */
const scale = Number(
  process.env['KUBEWRIGHT_MODEL_SCALE'] ?? (process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' ? 1 : 0.3),
);

/** Multiplies the runs of a model test. Each run draws new seeds, so coverage grows over time. */
export function runsAtScale(runs: number): number {
  return Math.ceil(runs * scale);
}

/** Multiplies the timeout of a model test. */
export function timeoutAtScale(timeoutMs: number): number {
  return timeoutMs * Math.max(1, scale);
}
