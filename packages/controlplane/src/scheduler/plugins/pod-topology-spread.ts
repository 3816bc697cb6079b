import type { PodInfo } from '../cluster/pod-info.ts';
import { hint, type Plugin } from '../framework/plugin.ts';
import {
  hardConstraints,
  hasEveryKey,
  type SpreadConstraint,
  softConstraints,
} from './pod-topology-spread-constraints.ts';
import { SpreadFilter } from './pod-topology-spread-filter.ts';
import { spreadScorer } from './pod-topology-spread-scorer.ts';

/** Spreads matching pods evenly across zones or other topology domains. */
export const podTopologySpread: Plugin = {
  name: 'PodTopologySpread',
  weight: 2,
  preFilter(pod, view) {
    const constraints = hardConstraints(pod);
    return constraints.length === 0 ? undefined : SpreadFilter.count(pod, view, constraints);
  },
  preScore(pod, view, nodes) {
    const constraints = softConstraints(pod, view.objects);
    return constraints.length === 0 ? undefined : spreadScorer({ pod, view, nodes, constraints });
  },
  hints: [
    hint('Pod', ['Add', 'UpdateLabel', 'UpdateToleration', 'Delete'], (pod, { old, now, action }) => {
      const concerns = (other: PodInfo | undefined): boolean =>
        !other ||
        other.uid === pod.uid ||
        ((other.nodeName !== '' || other.nominatedNodeName !== '') && other.namespace === pod.namespace);
      if (!concerns(old) || !concerns(now)) return false;
      const constraints = hardConstraints(pod);
      const matched = (other: PodInfo, { selector }: SpreadConstraint): boolean => selector.matches(other.labels);
      if (old && now) {
        if (action === 'UpdateToleration')
          return now.uid === pod.uid && constraints.some(({ honorsTaints }) => honorsTaints);
        return constraints.some((constraint) => matched(old, constraint) !== matched(now, constraint));
      }
      const other = now ?? old;
      return other !== undefined && constraints.some((constraint) => matched(other, constraint));
    }),
    hint('Node', ['Add', 'Delete', 'UpdateLabel', 'UpdateTaint'], (pod, { old, now }) => {
      const constraints = hardConstraints(pod);
      const was = old !== undefined && hasEveryKey(old, constraints);
      const is = now !== undefined && hasEveryKey(now, constraints);
      if (!old || !now) return was || is;
      if (was !== is) return true;
      const moved = constraints.some(({ topologyKey }) => old.labels[topologyKey] !== now.labels[topologyKey]);
      return is && (moved || JSON.stringify(old.taints) !== JSON.stringify(now.taints));
    }),
  ],
};
