import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';

/** True if one of the tolerations applies to a taint. */
export function tolerates(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some(({ key, operator, value, effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (key && key !== taint.key) return false;
    if (operator === 'Exists') return true;
    return (!operator || operator === 'Equal') && (value ?? '') === (taint.value ?? '');
  });
}

/** Returns the first NoSchedule or NoExecute taint that is not tolerated, or undefined. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  for (const taint of taints) {
    if (taint.effect !== 'PreferNoSchedule' && !tolerates(tolerations, taint)) return taint;
  }
  return undefined;
}
