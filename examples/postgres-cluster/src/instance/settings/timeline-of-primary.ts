import type { PostgresClusterStatus } from '../../api/v1/postgres-cluster.ts';

/**
 * Returns the primary's timeline, if another instance is the settled primary. A replica must not restore newer timeline
 * histories from the archive: they come from unfinished promotions, and the replica would wait forever for a primary on
 * one of these timelines. Returns undefined during an election, and for the target primary itself: a promotion must see
 * every timeline, to choose an unused number.
 */
export function timelineOfPrimary(
  { targetPrimary = '', currentPrimary, timeline }: PostgresClusterStatus = {},
  name: string,
): number | undefined {
  const isSettled = targetPrimary !== '' && targetPrimary === currentPrimary;
  return isSettled && targetPrimary !== name ? timeline : undefined;
}
