import type { ObservedCluster, ObservedInstance } from './observed-cluster.ts';

/**
 * Returns the role label of an instance. An instance has the label `primary` only while it is both `targetPrimary` and
 * `currentPrimary`. It loses the label before it is asked to stop, so that no new client reaches it. A former primary
 * has no label until it is a replica.
 */
export function roleOf(
  { name, report }: Pick<ObservedInstance, 'name' | 'report'>,
  { targetPrimary, currentPrimary, fenced }: Pick<ObservedCluster, 'targetPrimary' | 'currentPrimary' | 'fenced'>,
): 'primary' | 'replica' | undefined {
  if (fenced.includes(name)) return undefined;
  if (name === currentPrimary) return name === targetPrimary ? 'primary' : undefined;
  return report?.isPrimary ? undefined : 'replica';
}
