import type { ObservedCluster, ObservedInstance } from './observed-cluster.ts';

/**
 * Returns the role label of an instance. The primary has it only while it is both wanted and acknowledged: it loses the label
 * before it is requested to stop, so that no new client finds it. A former primary gets none until it is a replica.
 */
export function roleOf(
  { name, report }: Pick<ObservedInstance, 'name' | 'report'>,
  { targetPrimary, currentPrimary, fenced }: Pick<ObservedCluster, 'targetPrimary' | 'currentPrimary' | 'fenced'>,
): 'primary' | 'replica' | undefined {
  if (fenced.includes(name)) return undefined;
  if (name === currentPrimary) return name === targetPrimary ? 'primary' : undefined;
  return report?.isPrimary ? undefined : 'replica';
}
