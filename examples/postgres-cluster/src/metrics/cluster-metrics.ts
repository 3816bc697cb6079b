import type { Metric } from './metric.ts';

const gauge = (name: string, help: string, ...labels: string[]): Metric => ({
  name: `postgres_cluster_${name}`,
  type: 'gauge',
  help,
  labels: ['namespace', 'cluster', ...labels],
});

/** The metrics of clusters that the operator serves. Unlike an instance, the operator is there while all servers are stopped. */
export const clusterMetrics: readonly Metric[] = [
  gauge('healthy', 'Whether the cluster is in healthy state.'),
  gauge('instances', 'Number of instances that exist.'),
  gauge('ready_instances', 'Number of instances that accept connections and, if replicas, stream from the primary.'),
  gauge('outdated_instances', 'Number of instances whose image or pod differs from the current spec.'),
  gauge('update_needs_user', 'Whether a supervised update waits for the user to request a switchover.'),
  gauge(
    'major_upgrade',
    'Always 1 while a major upgrade is in progress or has failed. The phase is Checking, Stopping, Upgrading or Failed.',
    'from',
    'to',
    'phase',
  ),
  gauge('major_upgrade_started_seconds', 'Time when the major upgrade in progress has started, in Unix time.'),
];
