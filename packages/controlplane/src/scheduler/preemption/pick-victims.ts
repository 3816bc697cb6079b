import type { StartTimes, Victims } from './victims.ts';

/**
 * Offset that makes every priority nonnegative before priorities are summed. Without it, each additional victim with a
 * negative priority would lower the sum, so more victims would win.
 */
const priorityOffset = 2 ** 31;

/**
 * Picks the node where preemption does the least harm. In this order: the fewest violated disruption budgets, the
 * lowest priority of the most important victim, the lowest sum of priorities, the fewest victims. If nodes still tie,
 * takes the earliest start among each node's most important victims, and picks the latest of these.
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
