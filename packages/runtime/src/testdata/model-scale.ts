/**
 * Multiplies runs and timeouts of model tests, for runs outside CI: `npm run proof` sets
 * `KUBEWRIGHT_MODEL_SCALE`. Each run draws new seeds, so coverage grows over time.
 */
export function atScale(often: number): number {
  return often * Number(process.env['KUBEWRIGHT_MODEL_SCALE'] ?? 1);
}
