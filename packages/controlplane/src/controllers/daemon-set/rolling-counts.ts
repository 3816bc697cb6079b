import { scaledValue } from '@kubewright/apimachinery';
import type { DaemonSet } from '@kubewright/apimachinery/apps/v1';

/** Returns the number of nodes on which a new pod may run alongside the old one during an update. Percentages round up. */
export function surgeCount({ spec }: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate' || rollingUpdate?.maxSurge === undefined) return 0;
  return scaledValue(rollingUpdate.maxSurge, { total: nodes, roundUp: true }) ?? 0;
}

/** Returns the number of nodes whose pod may be unavailable during an update. Percentages round up. */
export function unavailableCount({ spec }: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  if (type !== 'RollingUpdate' || rollingUpdate?.maxUnavailable === undefined) return 0;
  return scaledValue(rollingUpdate.maxUnavailable, { total: nodes, roundUp: true }) ?? 0;
}
