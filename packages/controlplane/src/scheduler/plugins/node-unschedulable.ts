import type { Plugin } from '../framework/plugin.ts';
import { hint } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';
import { tolerates } from './tolerations.ts';

const name = 'NodeUnschedulable';
const rejection = unresolvable(name, 'node(s) were unschedulable');
const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Rejects cordoned nodes unless the pod tolerates the unschedulable taint. */
export const nodeUnschedulable: Plugin = {
  name,
  preFilter({ pod }) {
    if (tolerates(pod.spec?.tolerations, taint)) return undefined;
    return { filter: ({ isUnschedulable }) => (isUnschedulable ? rejection : undefined) };
  },
  hints: [
    hint('Node', ['Add', 'UpdateTaint'], (_pod, { old, now }) => {
      return now?.isUnschedulable === false && (!old || old.isUnschedulable);
    }),
    hint('Pod', ['UpdateToleration'], (pod, { now }) => {
      return pod.uid === now?.uid && tolerates(pod.pod.spec?.tolerations, taint);
    }),
  ],
};
