import type { Stored } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import { parseLsn } from '../../lsn.ts';
import type { Sample } from '../../metrics/metric.ts';
import type { InstanceReport } from '../protocol.ts';
import type { ServerStatistics } from './server-statistics.ts';

/** The inputs of an instance's metrics. */
export interface SamplesInput {
  readonly report: InstanceReport;
  readonly cluster: Stored<PostgresCluster> | undefined;
  /** Undefined while the server does not accept connections, or if the query failed. */
  readonly statistics: ServerStatistics | undefined;
  readonly nowMs: number;
}

type Values = readonly (readonly [name: string, value: number | boolean | null | undefined, labels?: Labels])[];
type Labels = Readonly<Record<string, string>>;

/** Returns the samples of an instance's metrics. */
export function instanceSamples(input: SamplesInput): readonly Sample[] {
  const { statistics, cluster } = input;
  const values = [...stateOf(input), ...backupsOf(input), ...(statistics ? statisticsOf(statistics) : [])];
  const own = { cluster: cluster?.metadata.name ?? '' };
  return values.flatMap(([name, value, labels]) =>
    value === null || value === undefined
      ? []
      : [{ name: `postgres_instance_${name}`, labels: { ...own, ...labels }, value: Number(value) }],
  );
}

function stateOf({ report, cluster, statistics }: SamplesInput): Values {
  const isUp = report.state === 'running';
  const { version = '', systemID = '', isPrimary, replicas } = report;
  return [
    ['up', isUp],
    ['info', 1, { version, system_id: systemID }],
    ['primary', isPrimary],
    ['ready', report.isReady],
    ['fenced', cluster?.spec.fenced?.includes(report.name) ?? false],
    ['failed', report.state === 'failed'],
    ['timeline', report.timeline],
    ['pending_restart', report.pendingRestart],
    ['settings_rejected', report.settingsError !== undefined],
    ['volume_free_bytes', report.freeBytes],
    ['volume_full', report.isDiskFull],
    ['wal_position_bytes', report.receivedLSN === undefined ? undefined : Number(parseLsn(report.receivedLSN))],
    ['receiving', isPrimary ? undefined : report.isReceiving],
    ['streaming_replicas', replicas?.filter(({ state }) => state === 'streaming').length],
    ['synchronous_replicas', replicas?.filter(({ sync }) => sync === 'sync' || sync === 'quorum').length],
    ['required_synchronous_replicas', cluster?.spec.replication?.synchronous ?? 0],
    ['scrape_failed', isUp && statistics === undefined],
  ];
}

function backupsOf({ cluster, nowMs }: SamplesInput): Values {
  const { lastBackup, firstRecoverabilityPoint } = cluster?.status ?? {};
  const seconds = (time: string | undefined): number | undefined =>
    time === undefined ? undefined : Date.parse(time) / 1000;
  const last = seconds(lastBackup);
  return [
    ['archive_configured', cluster?.spec.backup !== undefined],
    ['last_backup_seconds', last],
    ['last_backup_age_seconds', last === undefined ? undefined : nowMs / 1000 - last],
    ['first_recoverability_point_seconds', seconds(firstRecoverabilityPoint)],
  ];
}

function statisticsOf(found: ServerStatistics): Values {
  return [
    ['start_time_seconds', found.startTime],
    ['wal_bytes', found.walBytes],
    ['replay_lag_bytes', found.replayLagBytes],
    ['replay_lag_seconds', found.replayLagSeconds],
    ...found.replicas.flatMap(
      ({ name: replica, lagBytes, lagSeconds }): Values => [
        ['replica_lag_bytes', lagBytes, { replica }],
        ['replica_lag_seconds', lagSeconds, { replica }],
      ],
    ),
    ...found.slots.flatMap(
      ({ name: slot, isActive, retainedBytes }): Values => [
        ['slot_retained_bytes', retainedBytes, { slot }],
        ['slot_active', isActive, { slot }],
      ],
    ),
    ['wal_archived_total', found.archived],
    ['wal_archive_failures_total', found.archiveFailures],
    ['wal_archive_last_success_seconds', found.lastArchived],
    ['wal_archive_last_failure_seconds', found.lastFailed],
    ['wal_archive_waiting_files', found.waitingFiles],
    ...found.connections.map(({ state, count }): Values[number] => ['connections', count, { state }]),
    ['max_connections', found.maxConnections],
    ['blocked_connections', found.blocked],
    ['oldest_transaction_seconds', found.oldestTransaction],
    ...found.databases.flatMap(
      ({ name: database, ...each }): Values => [
        ['database_size_bytes', each.sizeBytes, { database }],
        ['transaction_id_age', each.transactionAge, { database }],
        ['commits_total', each.commits, { database }],
        ['rollbacks_total', each.rollbacks, { database }],
        ['deadlocks_total', each.deadlocks, { database }],
        ['temporary_bytes_total', each.temporaryBytes, { database }],
      ],
    ),
  ];
}
