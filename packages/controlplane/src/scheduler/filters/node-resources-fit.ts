import { Quantity } from '@kubewright/apimachinery';
import { podRequests } from '../node-info.ts';
import type { Filter } from './filter.ts';

/** Requires that the node has enough unreserved resources for the pod's requests. */
export const nodeResourcesFit: Filter = {
  name: 'NodeResourcesFit',
  reasons({ spec }, { allocatable, requested }) {
    const reasons: string[] = [];
    for (const [name, amount] of podRequests(spec)) {
      if (amount.compare(Quantity.zero) === 0) continue;
      const after = (requested.get(name) ?? Quantity.zero).add(amount);
      if (after.compare(allocatable.get(name) ?? Quantity.zero) > 0) {
        reasons.push(name === 'pods' ? 'Too many pods' : `Insufficient ${name}`);
      }
    }
    return reasons;
  },
};
