import type { ConditionUpdate } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/** Returns how foreign objects block a cluster, and the remedy. */
export function foreignMessage(foreign: readonly string[], cluster: string): string {
  const label = `${clusterLabel}=${cluster}`;
  return (
    `not changed, because they do not belong to this cluster: ${foreign.join(', ')}; delete them or recreate the cluster under ` +
    `another name, or, if they do belong to it and have no other controller, label them ${label}`
  );
}

/** Returns the condition that reports foreign objects with names that the cluster needs. */
export function foreignCondition(foreign: readonly string[], cluster: string): ConditionUpdate {
  const type = 'ObjectsOwned';
  if (foreign.length === 0) return { type, status: 'True', reason: 'AllOwned' };
  return { type, status: 'False', reason: 'ForeignObject', message: foreignMessage(foreign, cluster) };
}
