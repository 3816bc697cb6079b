import { scaledValue } from '@kubewright/apimachinery';
import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';

/** Returns on how many of the nodes a new pod may run next to the old one. Percentages round up. */
export function surgeCount({ spec }: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate' || rollingUpdate?.maxSurge === undefined) return 0;
  return scaledValue(rollingUpdate.maxSurge, { total: nodes, roundUp: true }) ?? 0;
}

/** Returns on how many of the nodes the pod may be unavailable during an update. Percentages round up. */
export function unavailableCount({ spec }: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate' || rollingUpdate?.maxUnavailable === undefined) return 0;
  return scaledValue(rollingUpdate.maxUnavailable, { total: nodes, roundUp: true }) ?? 0;
}
