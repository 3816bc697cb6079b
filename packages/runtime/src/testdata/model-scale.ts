/**
 * Multiplies runs and time-outs of model tests, where somebody has more patience than CI: `npm run proof` sets
 * `KUBEWRIGHT_MODEL_SCALE`. Each run draws anew, so runs add up over time.
 */
export function atScale(often: number): number {
  return often * Number(process.env['KUBEWRIGHT_MODEL_SCALE'] ?? 1);
}
