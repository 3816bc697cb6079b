import type { PostgresBackupSpec, PostgresBackupStatus } from '../api/v1/postgres-backup.ts';
import type { PostgresClusterSpec, PostgresClusterStatus } from '../api/v1/postgres-cluster.ts';
import type { BackupReport } from '../instance/protocol.ts';

/** The state that determines a backup's next step. */
export interface ObservedBackup {
  readonly spec: PostgresBackupSpec;
  readonly status: PostgresBackupStatus;
  /** Undefined if the cluster does not exist. */
  readonly cluster?:
    | { readonly spec: PostgresClusterSpec; readonly status?: PostgresClusterStatus | undefined }
    | undefined;
  /** Name of the backup of the same cluster that must end first. */
  readonly after?: string | undefined;
  /** The backup's state as reported by its instance; undefined if no instance has been chosen. */
  readonly report?: BackupReport | 'unknown' | 'unreachable' | undefined;
}

/** The next step of a backup. */
export type BackupStep =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly why: string }
  /** Requests the backup from an instance. Repeating the request has no effect. */
  | { readonly do: 'start'; readonly instance: string }
  | { readonly do: 'finish'; readonly report: BackupReport }
  | { readonly do: 'fail'; readonly why: string };

/** Decides the next step of a backup. */
export function nextBackupStep({ spec, status, cluster, after, report }: ObservedBackup): BackupStep {
  if (status.phase === 'Completed' || status.phase === 'Failed') return { do: 'nothing' };
  if (!cluster) return { do: 'wait', why: `the PostgresCluster "${spec.cluster}" does not exist` };
  if (!cluster.spec.backup)
    return {
      do: 'fail',
      why: `the PostgresCluster "${spec.cluster}" has no spec.backup; set it, then create another PostgresBackup`,
    };
  const { instance } = status;
  const instances = cluster.status?.instanceStatuses ?? [];
  if (instance !== undefined) {
    if (report !== undefined && typeof report === 'object') {
      if (report.phase !== 'Running') return { do: 'finish', report };
      return { do: 'wait', why: `${instance} is copying its data` };
    }
    const isReady = instances.some(({ name, ready }) => name === instance && ready);
    if (isReady && report === 'unknown') return { do: 'start', instance };
    if (isReady) return { do: 'wait', why: `${instance} does not respond` };
    // The chosen instance has stopped, so its backup is lost: another instance takes it.
  }
  if (after !== undefined) return { do: 'wait', why: `the PostgresBackup "${after}" must end first` };
  const ready = instances.filter((one) => one.ready && one.name !== instance);
  const replica = ready.find(({ role }) => role === 'replica');
  const primary = ready.find(({ role }) => role === 'primary');
  const chosen = spec.from === 'primary' ? primary : (replica ?? primary);
  if (!chosen) return { do: 'wait', why: `no instance of the PostgresCluster "${spec.cluster}" is ready` };
  return { do: 'start', instance: chosen.name };
}
