import type { ConditionUpdate } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/** Returns the message about foreign objects that block a cluster, with the remedy. */
export function foreignMessage(foreign: readonly string[], cluster: string): string {
  const label = `${clusterLabel}=${cluster}`;
  return (
    `objects with names that the cluster needs do not belong to the cluster: ${foreign.join(', ')}; delete these objects, or recreate the ` +
    `cluster under another name; to let the cluster adopt an object without a controller, add the label ${label} to the object`
  );
}

/** Returns the condition that reports foreign objects whose names the cluster needs. */
export function foreignCondition(foreign: readonly string[], cluster: string): ConditionUpdate {
  const type = 'ObjectsOwned';
  if (foreign.length === 0) return { type, status: 'True', reason: 'AllOwned' };
  return { type, status: 'False', reason: 'ForeignObject', message: foreignMessage(foreign, cluster) };
}
