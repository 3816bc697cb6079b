import { hint, type Plugin } from '../framework/plugin.ts';
import type { QueueGate } from '../queue/scheduling-queue.ts';

const name = 'SchedulingGates';

/** Keeps pods out of the queue until all their gates are removed. */
export const schedulingGates: Plugin & QueueGate = {
  name,
  holds: ({ pod }) => (pod.spec?.schedulingGates?.length ?? 0) > 0,
  hints: [hint('Pod', ['UpdateGatesEliminated'], (pod, { now }) => pod.uid === now?.uid)],
};
