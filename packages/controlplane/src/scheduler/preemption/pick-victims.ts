import type { StartTimes, Victims } from './victims.ts';

/** Added to priorities before they are summed up, so that few victims of low priority beat many. */
const priorityOffset = 2 ** 31;

/**
 * Picks the node where preemption does the least harm: the fewest violated disruption budgets, then the lowest highest priority,
 * the lowest sum of priorities, the fewest victims, and the latest start of the earliest victim of the highest priority.
 */
export function pickVictims(candidates: readonly Victims[], startMs: StartTimes): Victims | undefined {
  const criteria: readonly ((victims: Victims) => number)[] = [
    ({ violations }) => -violations,
    ({ pods }) => -(pods[0]?.priority ?? 0),
    ({ pods }) => -pods.reduce((sum, { priority }) => sum + priority + priorityOffset, 0),
    ({ pods }) => -pods.length,
    (victims) => earliestStart(victims, startMs),
  ];
  let left = candidates;
  for (const criterion of criteria) {
    if (left.length <= 1) break;
    const values = left.map(criterion);
    const highest = Math.max(...values);
    left = left.filter((_victims, i) => values[i] === highest);
  }
  return left[0];
}

function earliestStart({ pods }: Victims, startMs: StartTimes): number {
  const highest = Math.max(...pods.map(({ priority }) => priority));
  return Math.min(...pods.filter(({ priority }) => priority === highest).map(startMs));
}
