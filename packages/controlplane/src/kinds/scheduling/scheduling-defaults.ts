import type { PriorityClass } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the scheduling group. */
export const schedulingDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<PriorityClass>('schedulingv1.PriorityClass', (priorityClass) => {
    priorityClass.preemptionPolicy ??= 'PreemptLowerPriority';
  }),
];
