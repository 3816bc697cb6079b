import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';

/** True if a toleration matches a taint. */
export function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  // `Exists` without a key tolerates every taint.
  return operator === 'Exists' || (operator === 'Equal' && value === (taint.value ?? ''));
}

/** Returns the first taint with one of these effects that is not tolerated, or undefined. */
export function untoleratedTaint(
  taints: readonly Taint[],
  of: { readonly tolerations: readonly Toleration[]; readonly effects: readonly Taint['effect'][] },
): Taint | undefined {
  return taints.find(
    (taint) => of.effects.includes(taint.effect) && !of.tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
