import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { ClusterView } from '../decision/situation.ts';

/** Returns the parts of the cluster that an instance's decisions depend on. */
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
