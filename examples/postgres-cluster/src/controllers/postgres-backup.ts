import type { Stored } from '@kubewright/apimachinery';
import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import { PostgresBackup, type PostgresBackupStatus } from '../api/v1/postgres-backup.ts';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { BackupReport } from '../instance/protocol.ts';
import { type BackupStep, nextBackupStep, type ObservedBackup } from '../plan/backup-step.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { secretValue } from '../spec/credentials.ts';
import { type BackupClient, httpsBackups } from './backup-client.ts';
import type { InstanceAddress } from './instance-client.ts';

type Context = ReconcileContext<PostgresBackup>;

/** Interval between checks of a backup that is running or waits to start. */
const pollMs = { running: 2_000, waiting: 10_000 };

/** Takes each backup once, on an instance of its cluster. Deleting the object does not delete the backup from the archive. */
export function postgresBackup(backups: BackupClient = httpsBackups): ControllerDefinition {
  return controller({
    for: PostgresBackup,
    caches: [PostgresCluster, Pod, Secret],
    maxConcurrentReconciles: 5,
    reconcile: (backup, ctx) => reconcile(backup, ctx, backups),
  });
}

async function reconcile(
  backup: Stored<PostgresBackup>,
  ctx: Context,
  backups: BackupClient,
): Promise<DesiredState<PostgresBackup>> {
  const { spec, status = {}, metadata } = backup;
  const cluster = await ctx.get(PostgresCluster, { ...ctx.request, name: spec.cluster });
  const report = cluster && (await reportOf(backup, { ctx, backups }));
  const after = firstOf(await ctx.list(PostgresBackup, { namespace: metadata.namespace }), backup);
  const step = nextBackupStep({ spec, status, cluster, after, report });
  if (step.do === 'start') {
    const address = await addressOf(backup, { instance: step.instance, ctx });
    // Starts only after the status names the instance, so that a running backup can always be found.
    if (address && status.instance === step.instance) {
      const { uid, name } = metadata;
      const request = { name, uid: uid ?? '', type: spec.type ?? 'full' };
      await backups.start(address, { request, signal: ctx.signal });
    }
  }
  const next = nextStatus(status, { step, now: new Date(ctx.clock.now()) });
  announce(step, ctx);
  if (step.do === 'finish' && step.report.phase === 'Completed') await reportToCluster(spec.cluster, step.report, ctx);
  return { status: next, conditions: [readyCondition(next, step)], ...requeue(step, status) };
}

/**
 * Returns the name of the backup of the same cluster that must end before this one starts, or undefined. An incremental
 * backup needs an older backup, which a concurrent backup could delete.
 */
function firstOf(all: readonly Stored<PostgresBackup>[], backup: Stored<PostgresBackup>): string | undefined {
  const waiting = all.filter(
    ({ spec, status: { phase } = {} }) =>
      spec.cluster === backup.spec.cluster && phase !== 'Completed' && phase !== 'Failed',
  );
  const rank = ({ metadata, status }: Stored<PostgresBackup>) =>
    [status?.phase === 'Running' ? 0 : 1, metadata.creationTimestamp, metadata.name].join(' ');
  const [first] = waiting.sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  return first?.metadata.uid === backup.metadata.uid ? undefined : first?.metadata.name;
}

async function reportOf(
  backup: Stored<PostgresBackup>,
  { ctx, backups }: { readonly ctx: Context; readonly backups: BackupClient },
): Promise<ObservedBackup['report']> {
  const { instance, phase } = backup.status ?? {};
  if (instance === undefined || phase !== 'Running') return undefined;
  const address = await addressOf(backup, { instance, ctx });
  if (!address) return 'unreachable';
  try {
    const { signal } = ctx;
    return (await backups.report(address, { uid: backup.metadata.uid ?? '', signal })) ?? 'unknown';
  } catch (error) {
    ctx.log.debug('cannot reach the instance', { instance, error });
    return 'unreachable';
  }
}

async function addressOf(
  { spec }: Stored<PostgresBackup>,
  { instance, ctx }: { readonly instance: string; readonly ctx: Context },
): Promise<InstanceAddress | undefined> {
  const names = clusterNames(spec.cluster);
  const secret = await ctx.get(Secret, { ...ctx.request, name: names.operatorCertificate });
  const pod = await ctx.get(Pod, { ...ctx.request, name: instance });
  const [certificate, key, authorities] = ['tls.crt', 'tls.key', 'ca.crt'].map((part) => secretValue(secret, part));
  const podIP = pod?.status?.podIP;
  if (!podIP || certificate === undefined || key === undefined || authorities === undefined) return undefined;
  return { instance, podIP, serverName: names.readWrite, certificate, key, authorities };
}

function nextStatus(
  status: PostgresBackupStatus,
  { step, now }: { readonly step: BackupStep; readonly now: Date },
): PostgresBackupStatus {
  switch (step.do) {
    case 'nothing':
      return status;
    case 'wait':
      return status.phase === 'Running' ? status : { ...status, phase: 'Pending' };
    case 'start':
      return { ...status, phase: 'Running', instance: step.instance, startedAt: status.startedAt ?? now.toISOString() };
    case 'fail':
      return { ...status, phase: 'Failed', error: step.why };
    case 'finish': {
      const { firstRecoverabilityPoint: _, ...report } = step.report;
      return { ...status, ...report };
    }
  }
}

function readyCondition({ phase, error }: PostgresBackupStatus, step: BackupStep) {
  const type = 'Ready';
  if (phase === 'Completed')
    return { type, status: 'True', reason: 'Completed', message: 'the backup is complete' } as const;
  if (phase === 'Failed') return { type, status: 'False', reason: 'Failed', message: error ?? 'failed' } as const;
  const message = step.do === 'wait' ? step.why : 'the backup is starting';
  return { type, status: 'False', reason: phase ?? 'Pending', message } as const;
}

function announce(step: BackupStep, { events }: Context): void {
  if (step.do === 'fail') events.record({ type: 'Warning', reason: 'BackupFailed', note: step.why });
  if (step.do !== 'finish') return;
  const { phase, id, error } = step.report;
  if (phase === 'Completed') events.record({ reason: 'BackupCompleted', note: `the backup ${id} is complete` });
  else events.record({ type: 'Warning', reason: 'BackupFailed', note: error ?? 'the backup failed' });
}

/** Writes the time of the last backup, and the earliest time to restore to, into the cluster's status. */
async function reportToCluster(name: string, report: BackupReport, { client, request }: Context): Promise<void> {
  const { stoppedAt: lastBackup, firstRecoverabilityPoint = lastBackup } = report;
  const body = { status: { lastBackup, firstRecoverabilityPoint } };
  await client.resource(PostgresCluster).status.patch({ ...request, name }, { type: 'merge', body });
}

function requeue(step: BackupStep, status: PostgresBackupStatus): { readonly requeueAfterMs?: number } {
  if (step.do === 'start') return { requeueAfterMs: status.instance === step.instance ? pollMs.running : 1 };
  if (step.do === 'wait') return { requeueAfterMs: status.phase === 'Running' ? pollMs.running : pollMs.waiting };
  return {};
}
