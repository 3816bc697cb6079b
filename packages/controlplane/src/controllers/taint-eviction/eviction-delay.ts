import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import { tolerates } from '../nodes/tolerations.ts';

/**
 * Returns how long a pod may stay on a node with these taints, in milliseconds; infinity if it tolerates them forever. Only
 * NoExecute taints count. Mirrors `processPodOnNode` (1.36).
 */
export function evictionDelayMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  const used = evicting.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint)));
  if (used.some((toleration) => toleration === undefined)) return 0;
  const limits = used.flatMap((toleration) => toleration?.tolerationSeconds ?? []).map(Number);
  return Math.max(0, Math.min(Number.POSITIVE_INFINITY, ...limits) * 1000);
}
