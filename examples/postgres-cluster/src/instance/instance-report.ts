import type { Stored } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { Decision } from './decision/decide.ts';
import type { LocalState } from './local-state.ts';
import type { InstanceReport } from './protocol.ts';
import type { DiskSpace } from './server/disk-space.ts';

/** The inputs of a report. */
export interface ReportInput {
  readonly name: string;
  readonly cluster: Stored<PostgresCluster> | undefined;
  readonly decision: Decision;
  /** Message of the last action, if it failed. */
  readonly failure: string | undefined;
  /** True while the instance waits for the operator after its server died as a primary. */
  readonly hasDied: boolean;
  readonly local: LocalState;
  readonly disk: DiskSpace;
}

/** Settings that must not be lower on a replica than on its primary. */
const sensitive = [
  'max_connections',
  'max_locks_per_transaction',
  'max_prepared_transactions',
  'max_wal_senders',
  'max_worker_processes',
];

/** Returns an instance's report for the operator. */
export function reportOf({ name, cluster, decision, failure, hasDied, local, disk }: ReportInput): InstanceReport {
  const { status, data, server } = local;
  const isPrimary = server.kind === 'running' && server.role === 'primary';
  const message = failure ?? (decision.do === 'wait' || decision.do === 'stop' ? decision.why : undefined);
  const pending = status?.pendingSettings ?? {};
  return {
    name,
    state: stateOf({ decision, failure, local }),
    ...(message !== undefined && { message }),
    isPrimary,
    ...(hasDied && { hasDied }),
    isReady: status !== undefined && (!isPrimary || cluster?.status?.currentPrimary === name),
    isReceiving: status?.isReceiving ?? false,
    pendingRestart: Object.keys(pending).length > 0,
    lowersSetting: sensitive.some(
      (setting) => Number(local.parameters[setting] ?? Infinity) < Number(pending[setting]),
    ),
    ...disk,
    ...(local.isRead && { data: data.kind === 'present' ? data.role : data.kind }),
    ...(data.kind === 'present' && { systemID: data.systemID, timeline: data.timeline }),
    ...(data.kind === 'present' &&
      server.kind === 'stopped' &&
      data.shutdownLSN !== undefined && { shutdownLSN: data.shutdownLSN }),
    ...(status && {
      timeline: status.timeline,
      isAtEnd: status.isAtEnd,
      receivedLSN: status.lsn,
      archive: {
        ...status.archive,
        ...(local.archiveFailure !== undefined && { message: local.archiveFailure }),
      },
      ...(isPrimary && { replicas: status.replicas }),
      ...(status.replayedLSN !== undefined && { replayedLSN: status.replayedLSN }),
    }),
    ...(local.settings !== undefined && { settings: local.settings }),
    ...(local.settingsError !== undefined && { settingsError: local.settingsError }),
    ...(local.restoreError !== undefined && { restoreError: local.restoreError }),
    ...(local.version !== undefined && { version: local.version }),
  };
}

function stateOf({
  decision,
  failure,
  local,
}: Pick<ReportInput, 'decision' | 'failure' | 'local'>): InstanceReport['state'] {
  if (decision.do === 'stop') return 'stopping';
  if (local.server.kind === 'running') return local.status ? 'running' : 'starting';
  if (failure !== undefined) return 'failed';
  return decision.do === 'wait' ? decision.state : 'starting';
}
