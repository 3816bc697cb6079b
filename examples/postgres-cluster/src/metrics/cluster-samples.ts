import type { PostgresClusterStatus } from '../api/v1/postgres-cluster.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import type { RolloutStep } from '../plan/rollout.ts';
import type { Sample } from './metric.ts';

/** The inputs of a cluster's metrics. */
export interface ClusterState {
  readonly namespace: string;
  readonly observed: ObservedCluster;
  readonly isHealthy: boolean;
  readonly rollout: RolloutStep | undefined;
  readonly status: Pick<PostgresClusterStatus, 'instances' | 'readyInstances' | 'majorUpgrade'>;
}

type Values = readonly (readonly [name: string, value: number | boolean, labels?: Readonly<Record<string, string>>])[];

/** Returns the samples of a cluster's metrics. */
export function clusterSamples({ namespace, observed, isHealthy, rollout, status }: ClusterState): readonly Sample[] {
  const { instances = 0, readyInstances = 0, majorUpgrade } = status;
  const values: Values = [
    ['healthy', isHealthy],
    ['instances', instances],
    ['ready_instances', readyInstances],
    ['outdated_instances', observed.members.filter(({ pod }) => pod?.isOutdated === true).length],
    ['update_needs_user', rollout?.do === 'wait' && rollout.needsUser === true],
    ...(majorUpgrade ? upgradeOf(majorUpgrade) : []),
  ];
  const own = { namespace, cluster: observed.name };
  return values.map(([name, value, labels]) => ({
    name: `postgres_cluster_${name}`,
    labels: { ...own, ...labels },
    value: Number(value),
  }));
}

function upgradeOf({ from, to, phase, startedAt }: NonNullable<PostgresClusterStatus['majorUpgrade']>): Values {
  const state = ['major_upgrade', 1, { from, to, phase }] as const;
  return phase === 'Failed' ? [state] : [state, ['major_upgrade_started_seconds', Date.parse(startedAt) / 1000]];
}
