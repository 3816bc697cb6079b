import type { ConditionUpdate } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/** Returns the message about foreign objects that block a cluster, with the remedy. */
export function foreignMessage(foreign: readonly string[], cluster: string): string {
  const label = `${clusterLabel}=${cluster}`;
  return (
    `these objects block the cluster, because they do not belong to it: ${foreign.join(', ')}; delete them, or recreate the cluster under ` +
    `another name; if they should belong to it and have no controller, label them ${label}`
  );
}

/** Returns the condition that reports foreign objects whose names the cluster needs. */
export function foreignCondition(foreign: readonly string[], cluster: string): ConditionUpdate {
  const type = 'ObjectsOwned';
  if (foreign.length === 0) return { type, status: 'True', reason: 'AllOwned' };
  return { type, status: 'False', reason: 'ForeignObject', message: foreignMessage(foreign, cluster) };
}
