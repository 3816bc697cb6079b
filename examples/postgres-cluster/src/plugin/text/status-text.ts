import type { Stored } from '@kubewright/apimachinery';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import type { PostgresBackup } from '../../api/v1/postgres-backup.ts';
import type { InstanceStatus, PostgresCluster } from '../../api/v1/postgres-cluster.ts';
import type { Replication, StreamingReplica } from '../replication.ts';
import { age, bytes } from './amounts.ts';
import { table } from './table.ts';

/** The objects that `status` shows. */
export interface StatusInput {
  readonly cluster: Stored<PostgresCluster>;
  readonly backups: readonly Stored<PostgresBackup>[];
  readonly replication: Replication;
  /** Names of the instances' nodes, by instance name. */
  readonly nodes: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** Maximum number of listed backups. */
const maxBackups = 5;

/** Formats the state of a cluster for a terminal. */
export function statusText(input: StatusInput): string {
  const parts = [
    summary(input),
    `Instances\n${instances(input)}`,
    `Replication\n${replication(input.replication)}`,
    ...(input.backups.length > 0 ? [`Backups\n${backupRows(input)}`] : []),
    ...failing(input.cluster),
  ];
  return `${parts.join('\n\n')}\n`;
}

function summary({ cluster, nowMs }: StatusInput): string {
  const { metadata, spec, status = {} } = cluster;
  const ago = (time: string): string => `${time} (${age(nowMs - Date.parse(time))} ago)`;
  const { synchronous = 0, durability = 'required' } = spec.replication ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Cluster', `${metadata.namespace}/${metadata.name}`],
    ['Phase', status.phase ?? 'not reconciled yet'],
    ['Reason', status.phaseReason],
    ['PostgreSQL', spec.version],
    ['System ID', status.systemID],
    ['Instances', `${spec.instances}, ${status.readyInstances ?? 0} ready`],
    ['Primary', status.currentPrimary || 'none'],
    ['Target', status.targetPrimary === status.currentPrimary ? undefined : status.targetPrimary || 'being chosen'],
    ['Timeline', status.timeline?.toString()],
    ['Synchronous', synchronous > 0 ? `${synchronous} (durability: ${durability})` : 'no'],
    ['Fenced', spec.fenced?.length ? spec.fenced.join(', ') : undefined],
    ['Archive', archiveText(cluster)],
    ['Last backup', spec.backup && (status.lastBackup ? ago(status.lastBackup) : 'none')],
    ['Restorable', spec.backup && status.firstRecoverabilityPoint && `since ${ago(status.firstRecoverabilityPoint)}`],
  ];
  const shown = rows.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return shown.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}`).join('\n');
}

function archiveText({ spec, status }: Stored<PostgresCluster>): string {
  if (!spec.backup) return 'none';
  const archiving = status?.conditions?.find(({ type }) => type === 'ContinuousArchiving');
  if (archiving?.status === 'True') return 'working';
  return archiving?.status === 'False' ? `failing: ${archiving.message}` : 'nothing archived yet';
}

function instances({ cluster, nodes }: StatusInput): string {
  const row = (each: InstanceStatus): readonly string[] => [
    each.name,
    each.role ?? '-',
    each.ready ? 'yes' : 'no',
    each.timeline?.toString() ?? '-',
    each.lsn ?? '-',
    each.lagBytes === undefined ? '-' : bytes(each.lagBytes),
    nodes.get(each.name) ?? '-',
    [each.pendingRestart ? 'needs a restart' : '', each.message ?? ''].filter((text) => text !== '').join('; '),
  ];
  const head = ['NAME', 'ROLE', 'READY', 'TIMELINE', 'LSN', 'LAG', 'NODE', 'MESSAGE'];
  return table(head, (cluster.status?.instanceStatuses ?? []).map(row));
}

function replication(found: Replication): string {
  if ('why' in found) return `unknown: ${found.why}`;
  if (found.length === 0) return 'no replica is connected';
  const row = (each: StreamingReplica): readonly string[] => [
    each.name,
    each.state,
    each.sync,
    each.sentLSN ?? '-',
    each.flushLSN ?? '-',
    each.replayLSN ?? '-',
    each.replayLagSeconds === null ? '-' : `${each.replayLagSeconds.toFixed(3)} s`,
    each.slot ?? '-',
  ];
  return table(['NAME', 'STATE', 'SYNC', 'SENT', 'FLUSHED', 'REPLAYED', 'REPLAY LAG', 'SLOT'], found.map(row));
}

function backupRows({ backups, nowMs }: StatusInput): string {
  const created = ({ metadata }: Stored<PostgresBackup>): string => metadata.creationTimestamp ?? '';
  const newest = [...backups].sort((a, b) => created(b).localeCompare(created(a))).slice(0, maxBackups);
  const rows = newest.map((backup) => {
    const { spec, status = {}, metadata } = backup;
    return [
      metadata.name,
      spec.type ?? 'full',
      status.phase ?? 'Pending',
      age(nowMs - Date.parse(status.stoppedAt ?? created(backup))),
      status.sizeBytes === undefined ? '-' : bytes(status.sizeBytes),
      status.error ?? '',
    ];
  });
  return table(['NAME', 'TYPE', 'PHASE', 'AGE', 'SIZE', 'ERROR'], rows);
}

/** Returns a section with the conditions that indicate a problem. */
function failing({ status }: Stored<PostgresCluster>): readonly string[] {
  const isBad = ({ type, status: value }: Condition): boolean =>
    type === 'Reconciling' ? value === 'True' : value === 'False';
  const bad = (status?.conditions ?? []).filter(isBad);
  if (bad.length === 0) return [];
  const rows = bad.map(({ type, status: value, reason, message }) => [type, value, reason, message]);
  return [`Conditions\n${table(['TYPE', 'STATUS', 'REASON', 'MESSAGE'], rows)}`];
}
