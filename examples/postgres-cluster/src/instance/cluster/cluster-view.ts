import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { ClusterView } from '../decision/situation.ts';

/** Returns the part of the cluster that the decisions of an instance depend on. */
export function clusterView({ spec, status = {} }: PostgresCluster, instance: string): ClusterView {
  return {
    targetPrimary: status.targetPrimary,
    currentPrimary: status.currentPrimary,
    systemID: status.systemID,
    timeline: status.timeline,
    isFenced: spec.fenced?.includes(instance) ?? false,
    isHibernated: spec.hibernated ?? false,
  };
}
