import type { PostgresClusterStatus } from '../../api/v1/postgres-cluster.ts';

/**
 * Returns the timeline of another instance that is the primary. A replica restores no history of a later one from the archive: it would
 * be that of a promotion which was not finished, and the replica would wait forever for a primary on that timeline. Undefined during
 * an election and for the target primary: a promotion must find every timeline to choose a new number.
 */
export function timelineOfPrimary(
  { targetPrimary = '', currentPrimary, timeline }: PostgresClusterStatus = {},
  name: string,
): number | undefined {
  const isSettled = targetPrimary !== '' && targetPrimary === currentPrimary;
  return isSettled && targetPrimary !== name ? timeline : undefined;
}
