/** A Prometheus alert. */
export interface Alert {
  readonly name: string;
  readonly expr: string;
  /** Time for which the expression must hold before the alert fires. */
  readonly for: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly summary: string;
  /** Remedy, as an imperative. */
  readonly action: string;
}

const perCluster = 'by (namespace, cluster)';
const perPooler = 'by (namespace, cluster, pooler)';
const gibibyte = 1024 ** 3;

/** The alerts of PostgreSQL clusters. */
export const alerts: readonly Alert[] = [
  {
    name: 'PostgresNoPrimary',
    expr: `sum ${perCluster} (postgres_instance_primary) == 0`,
    for: '1m',
    severity: 'critical',
    summary: '{{ $labels.cluster }} has no primary: it accepts no writes.',
    action: 'Run kubectl kubewright pg status; the phase shows what the cluster is waiting for.',
  },
  {
    name: 'PostgresSeveralPrimaries',
    expr: `sum ${perCluster} (postgres_instance_primary) > 1`,
    for: '1m',
    severity: 'critical',
    summary: '{{ $labels.cluster }} has more than one writable server.',
    action: 'Fence every instance except the holder of the Lease, and compare their data.',
  },
  {
    name: 'PostgresServerDown',
    expr: 'postgres_instance_up == 0 and postgres_instance_fenced == 0',
    for: '2m',
    severity: 'warning',
    summary: 'The server of {{ $labels.pod }} accepts no connections.',
    action: 'Run kubectl kubewright pg logs.',
  },
  {
    name: 'PostgresActionFailed',
    expr: 'postgres_instance_failed == 1',
    for: '2m',
    severity: 'warning',
    summary: 'The instance manager of {{ $labels.pod }} failed to carry out an action.',
    action: 'Read the message of the instance in kubectl kubewright pg status.',
  },
  {
    name: 'PostgresPromoted',
    expr: `max ${perCluster} (postgres_instance_timeline) > max ${perCluster} (postgres_instance_timeline offset 10m)`,
    for: '0m',
    severity: 'info',
    summary: '{{ $labels.cluster }} has promoted a replica in the last ten minutes.',
    action: 'Read the events of the cluster for the reason.',
  },
  {
    name: 'PostgresReplicaNotStreaming',
    expr: 'postgres_instance_receiving == 0 and postgres_instance_fenced == 0',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.pod }} does not stream from a primary.',
    action: 'Read its message in kubectl kubewright pg status, and its logs.',
  },
  {
    name: 'PostgresReplicaLagsBehind',
    expr: `postgres_instance_replica_lag_bytes > ${gibibyte} or postgres_instance_replay_lag_seconds > 300`,
    for: '5m',
    severity: 'warning',
    summary: 'A replica of {{ $labels.cluster }} is far behind the primary.',
    action: 'Look for long queries on the replica, and for a slow disk or network.',
  },
  {
    name: 'PostgresTooFewSynchronousReplicas',
    expr: 'postgres_instance_synchronous_replicas < postgres_instance_required_synchronous_replicas',
    for: '1m',
    severity: 'critical',
    summary: 'Commits in {{ $labels.cluster }} wait for replicas that are not connected.',
    action: 'Repair the replicas, or lower spec.replication.synchronous.',
  },
  {
    name: 'PostgresSlotRetainsWal',
    expr: `postgres_instance_slot_retained_bytes > ${10 * gibibyte}`,
    for: '10m',
    severity: 'warning',
    summary: 'The slot {{ $labels.slot }} on {{ $labels.pod }} retains more than 10 GiB of WAL.',
    action: 'Repair its consumer, or drop the slot.',
  },
  {
    name: 'PostgresArchiveFailing',
    expr: 'postgres_instance_archive_configured == 1 and postgres_instance_primary == 1 and postgres_instance_wal_archive_waiting_files > 5',
    for: '5m',
    severity: 'critical',
    summary:
      'WAL of {{ $labels.cluster }} is not being archived: the recovery point falls behind, and the volume fills up.',
    action: 'Read the ContinuousArchiving condition for the error.',
  },
  {
    name: 'PostgresNoRecentBackup',
    expr: `max ${perCluster} (postgres_instance_last_backup_age_seconds) > 36 * 3600`,
    for: '10m',
    severity: 'warning',
    summary: 'The last base backup of {{ $labels.cluster }} is older than 36 hours.',
    action: 'Read the errors in kubectl get postgresbackups.',
  },
  {
    name: 'PostgresNeverBackedUp',
    expr: `max ${perCluster} (postgres_instance_archive_configured) == 1 unless max ${perCluster} (postgres_instance_last_backup_seconds)`,
    for: '1h',
    severity: 'warning',
    summary: '{{ $labels.cluster }} has an archive but no base backup: it cannot be restored.',
    action: 'Run kubectl kubewright pg backup, and create a PostgresBackupSchedule.',
  },
  {
    name: 'PostgresVolumeFillsUp',
    expr: 'predict_linear(postgres_instance_volume_free_bytes[6h], 24 * 3600) < 0',
    for: '30m',
    severity: 'warning',
    summary: 'The volume of {{ $labels.pod }} will be full within a day.',
    action: 'Raise spec.storage.size.',
  },
  {
    name: 'PostgresVolumeFull',
    expr: 'postgres_instance_volume_full == 1',
    for: '0m',
    severity: 'critical',
    summary: 'The volume of {{ $labels.pod }} is full.',
    action: 'Raise spec.storage.size. The server restarts once there is space.',
  },
  {
    name: 'PostgresConnectionsExhausted',
    expr: 'sum by (namespace, cluster, pod) (postgres_instance_connections) > 0.9 * sum by (namespace, cluster, pod) (postgres_instance_max_connections)',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.pod }} uses more than 90% of max_connections.',
    action: 'Pool the connections of the application, or raise max_connections.',
  },
  {
    name: 'PostgresConnectionsBlocked',
    expr: 'postgres_instance_blocked_connections > 10',
    for: '5m',
    severity: 'warning',
    summary: 'More than 10 connections to {{ $labels.pod }} are waiting for locks.',
    action: 'Find the blocking sessions with pg_blocking_pids.',
  },
  {
    name: 'PostgresLongTransaction',
    expr: 'postgres_instance_oldest_transaction_seconds > 3600',
    for: '5m',
    severity: 'warning',
    summary:
      'A transaction on {{ $labels.pod }} has been open for more than an hour, and prevents vacuum from removing dead rows.',
    action: 'Find it in pg_stat_activity.',
  },
  {
    name: 'PostgresTransactionIdsRunOut',
    expr: 'postgres_instance_transaction_id_age > 1.5e9',
    for: '5m',
    severity: 'critical',
    summary:
      '{{ $labels.database }} in {{ $labels.cluster }} will soon stop accepting writes to prevent transaction ID wraparound.',
    action: 'Run VACUUM FREEZE in that database, and find out what blocks autovacuum.',
  },
  {
    name: 'PostgresSettingsRejected',
    expr: 'postgres_instance_settings_rejected == 1',
    for: '1m',
    severity: 'warning',
    summary: '{{ $labels.pod }} rejects the current spec.parameters, and keeps the last valid ones.',
    action: 'Read the SettingsApplied condition for the error.',
  },
  {
    name: 'PostgresRestartPending',
    expr: 'postgres_instance_pending_restart == 1',
    for: '1h',
    severity: 'info',
    summary: '{{ $labels.pod }} needs a restart to apply changed settings.',
    action: 'If updates are supervised, promote another instance.',
  },
  {
    name: 'PostgresStatisticsUnavailable',
    expr: 'postgres_instance_scrape_failed == 1',
    for: '5m',
    severity: 'warning',
    summary: 'The statistics of {{ $labels.pod }} cannot be read: other alerts may not fire.',
    action: 'Read the logs of the instance.',
  },
  {
    name: 'PostgresUpdateStuck',
    expr: 'postgres_cluster_outdated_instances > 0 and postgres_cluster_update_needs_user == 0',
    for: '30m',
    severity: 'warning',
    summary: 'Instances of {{ $labels.cluster }} still run an earlier image or pod spec.',
    action: 'Read the phase in kubectl kubewright pg status: an update waits until all other instances work.',
  },
  {
    name: 'PostgresUpdateNeedsUser',
    expr: 'postgres_cluster_update_needs_user == 1',
    for: '1h',
    severity: 'info',
    summary: 'All replicas of {{ $labels.cluster }} are updated; the primary waits for a switchover.',
    action: 'Run kubectl kubewright pg promote with the name of a replica.',
  },
  {
    name: 'PostgresMajorUpgradeFailed',
    expr: 'postgres_cluster_major_upgrade{phase="Failed"} == 1',
    for: '0m',
    severity: 'warning',
    summary: 'The major upgrade of {{ $labels.cluster }} failed; the old version runs again.',
    action: 'Read the condition MajorUpgrade. Set spec.version to the old version to acknowledge the failure.',
  },
  {
    name: 'PostgresMajorUpgradeSlow',
    expr: 'time() - postgres_cluster_major_upgrade_started_seconds > 1800 and on (namespace, cluster) postgres_cluster_major_upgrade{phase=~"Stopping|Upgrading"} == 1',
    for: '0m',
    severity: 'critical',
    summary:
      'The major upgrade of {{ $labels.cluster }} has stopped all servers, and started more than 30 minutes ago.',
    action: 'Read the logs of the upgrade Job. To cancel the upgrade, set spec.version to the old version.',
  },
  {
    name: 'PostgresPoolerUnavailable',
    expr: `max ${perPooler} (postgres_pooler_up) == 0`,
    for: '1m',
    severity: 'critical',
    summary: 'No PgBouncer of the pooler {{ $labels.pooler }} responds: its clients cannot connect.',
    action: 'Read the condition Ready of the PostgresPooler, and the logs of its pods.',
  },
  {
    name: 'PostgresPoolerClientsWait',
    expr: `max ${perPooler} (postgres_pooler_max_wait_seconds) > 10 and max ${perPooler} (postgres_pooler_paused) == 0`,
    for: '1m',
    severity: 'warning',
    summary:
      'Clients of the pooler {{ $labels.pooler }} wait for more than 10 seconds for a connection to the cluster.',
    action: 'Raise default_pool_size, or look for long transactions; if the cluster has no primary, repair it first.',
  },
  {
    name: 'PostgresPoolerClientsExhausted',
    expr: 'sum by (namespace, cluster, pooler, pod) (postgres_pooler_clients) > 0.9 * sum by (namespace, cluster, pooler, pod) (postgres_pooler_max_clients)',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.pod }} serves more than 90% of max_client_conn.',
    action: 'Raise max_client_conn, or spec.instances of the PostgresPooler.',
  },
  {
    name: 'PostgresPoolerPaused',
    expr: 'postgres_pooler_paused == 1',
    for: '15m',
    severity: 'info',
    summary: 'The pooler {{ $labels.pooler }} is paused: its clients wait.',
    action: 'Set spec.paused of the PostgresPooler to false.',
  },
  {
    name: 'PostgresOperatorFailing',
    expr: 'increase(controller_runtime_reconcile_errors_total{controller="postgrescluster"}[10m]) > 5',
    for: '10m',
    severity: 'warning',
    summary: 'The operator fails to reconcile PostgreSQL clusters.',
    action: 'Read the logs of the operator.',
  },
];
