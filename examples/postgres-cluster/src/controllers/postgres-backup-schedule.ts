import {
  isControlledBy,
  type Kind,
  type KubernetesObject,
  type Stored,
  setControllerReference,
} from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { type ControllerDefinition, controller, type DesiredState, type ReconcileContext } from '@kubewright/runtime';
import { PostgresBackup } from '../api/v1/postgres-backup.ts';
import {
  type DrillResult,
  PostgresBackupSchedule,
  type PostgresBackupScheduleStatus,
} from '../api/v1/postgres-backup-schedule.ts';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { drillResult } from '../plan/drill-result.ts';
import { nextScheduleStep, type ScheduledBackup, type ScheduleStep } from '../plan/schedule-step.ts';
import { drillJobFor, drillLabel } from '../spec/drill-job.ts';

type Schedule = Stored<PostgresBackupSchedule>;
type Context = ReconcileContext<PostgresBackupSchedule>;

/** Creates the backups that are due, and runs restore drills, which test that the backups can be restored. */
export function postgresBackupSchedule({ image }: { readonly image: string }): ControllerDefinition {
  return controller({
    for: PostgresBackupSchedule,
    owns: [PostgresBackup, Job],
    caches: [PostgresCluster],
    reconcile: (schedule, ctx) => reconcile(schedule, ctx, image),
  });
}

async function reconcile(
  schedule: Schedule,
  ctx: Context,
  image: string,
): Promise<DesiredState<PostgresBackupSchedule>> {
  const { spec, metadata } = schedule;
  const cluster = await ctx.get(PostgresCluster, { ...ctx.request, name: spec.cluster });
  const owned = ctx.observed.list(PostgresBackup);
  const jobs = ctx.observed.list(Job);
  const status = await withResults(schedule, { owned, jobs, ctx });
  let step: ScheduleStep;
  try {
    step = nextScheduleStep({
      spec,
      status,
      createdAt: new Date(metadata.creationTimestamp ?? 0),
      now: new Date(ctx.clock.now()),
      backups: owned.map(scheduledBackup),
      isDrillRunning: jobs.some((job) => endOf(job) === undefined),
      keep: cluster?.spec.backup?.keep ?? 7,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const { nextScheduleTime: _, ...rest } = status;
    return { status: rest, conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidSchedule', message }] };
  }
  const drilled = await startDrill(schedule, { step, cluster, image, ctx });
  // Creates objects before the status is written: after a crash in between, the step runs again and finds the objects
  // by name.
  if (step.backup) await createBackup(schedule, { at: step.backup, ctx });
  for (const backup of owned) if (step.surplus.includes(backup.metadata.name)) await ctx.delete(backup);
  const { nextScheduleTime: _, ...rest } = status;
  const next = {
    ...rest,
    ...(step.backup && { lastScheduleTime: step.backup.toISOString() }),
    ...(drilled && { lastDrillTime: drilled.toISOString() }),
    ...(step.nextBackup && { nextScheduleTime: step.nextBackup.toISOString() }),
  };
  const waitMs = step.wakeAt && step.wakeAt.getTime() - ctx.clock.now();
  return {
    status: next,
    conditions: [...conditionsOf(schedule, { owned, status: next })],
    ...(waitMs !== undefined && { requeueAfterMs: waitMs }),
  };
}

async function createBackup(
  schedule: Schedule,
  { at, ctx }: { readonly at: Date; readonly ctx: Context },
): Promise<void> {
  const { metadata, spec } = schedule;
  const name = `${metadata.name}-${Math.floor(at.getTime() / 60_000)}`;
  const { cluster, type = 'full' } = spec;
  const { namespace } = metadata;
  const wanted = PostgresBackup({ metadata: { namespace, name }, spec: { cluster, type } });
  const backup = await createNew(PostgresBackup, wanted, { schedule, ctx });
  if (backup) ctx.events.record({ reason: 'BackupCreated', note: `created the backup ${name}`, related: backup });
}

/** Starts the drill that is due. Returns its scheduled time, or undefined if no drill was started. */
async function startDrill(
  schedule: Schedule,
  {
    step: { drill: at },
    cluster,
    image,
    ctx,
  }: {
    readonly step: ScheduleStep;
    readonly cluster: Stored<PostgresCluster> | undefined;
    readonly image: string;
    readonly ctx: Context;
  },
): Promise<Date | undefined> {
  const job = at && cluster && drillJobFor(schedule, { cluster, image, at });
  if (!job) return undefined;
  const started = await createNew(Job, job, { schedule, ctx });
  if (started) {
    ctx.events.record({
      reason: 'DrillStarted',
      note: `restoring the newest backup in the Job ${started.metadata.name}`,
      related: started,
    });
  }
  return at;
}

/**
 * Creates an object unless it exists. If the existing object is not controlled by the schedule, an event reports it.
 *
 * @rbac groups=database.db.example.com resources=postgresbackups verbs=get;list;watch;create
 * @rbac groups=batch resources=jobs verbs=get;list;watch;create
 */
async function createNew<T extends KubernetesObject>(
  kind: Kind<T>,
  object: T,
  { schedule, ctx }: { readonly schedule: Schedule; readonly ctx: Context },
): Promise<Stored<T> | undefined> {
  const { namespace } = schedule.metadata;
  const { name = '' } = object.metadata;
  const found = await ctx.get(kind, { namespace, name });
  if (found && !isControlledBy(found, schedule)) {
    const note = `skipped ${kind.kind} "${name}": it already exists and is not controlled by this schedule; delete it, or rename the schedule`;
    ctx.events.record({ type: 'Warning', reason: 'ForeignObject', note, series: note });
  }
  if (found) return undefined;
  // Unlike an apply, a create fails if the object exists but is not in the cache yet.
  const placed = { ...object, metadata: { ...object.metadata, namespace } };
  return ctx.client.resource(kind).create(setControllerReference(placed, schedule), { signal: ctx.signal });
}

/** Returns the status, updated with the newest completed backup and the newest drill's result. */
async function withResults(
  { status = {} }: Schedule,
  {
    owned,
    jobs,
    ctx,
  }: {
    readonly owned: readonly Stored<PostgresBackup>[];
    readonly jobs: readonly Stored<Job>[];
    readonly ctx: Context;
  },
): Promise<PostgresBackupScheduleStatus> {
  const completed = owned
    .filter((one) => one.status?.phase === 'Completed')
    .sort(byCreation)
    .at(-1);
  const ended = [...jobs]
    .sort(byCreation)
    .filter((job) => endOf(job) !== undefined)
    .at(-1);
  const lastDrill = ended && (await resultOf(ended, { status, ctx }));
  if (lastDrill && lastDrill.finishedAt !== status.lastDrill?.finishedAt) announce(lastDrill, ctx);
  return {
    ...status,
    ...(completed && { lastBackup: completed.metadata.name }),
    ...(lastDrill && { lastDrill }),
  };
}

/**
 * Reads the result from the pod, or returns the recorded result if the pod is gone. Does not use a cache, which may lag
 * behind the end of the pod's container.
 *
 * @rbac groups="" resources=pods verbs=list
 */
async function resultOf(
  job: Stored<Job>,
  { status, ctx }: { readonly status: PostgresBackupScheduleStatus; readonly ctx: Context },
): Promise<DrillResult> {
  const { name, namespace, labels } = job.metadata;
  const labelSelector = `${drillLabel}=${labels?.[drillLabel]},job-name=${name}`;
  const where = { ...(namespace !== undefined && { namespace }), labelSelector, signal: ctx.signal };
  const { items } = await ctx.client.resource(Pod).list(where);
  const message = items
    .map((pod) => pod.status?.containerStatuses?.[0]?.state?.terminated?.message)
    .find((text) => text !== undefined);
  const { lastDrill } = status;
  const startedAt = Date.parse(job.status?.startTime ?? '');
  if (message === undefined && lastDrill && Date.parse(lastDrill.finishedAt) >= startedAt) return lastDrill;
  const { reason, message: why, lastTransitionTime } = endOf(job) ?? {};
  const failure = [reason, why].filter(Boolean).join(': ');
  return drillResult({ message, failure, finishedAt: lastTransitionTime ?? '' });
}

function announce({ succeeded, backup, message = '', durationSeconds }: DrillResult, { events }: Context): void {
  if (succeeded)
    events.record({ reason: 'DrillSucceeded', note: `restored ${backup} and queried it in ${durationSeconds} s` });
  else events.record({ type: 'Warning', reason: 'DrillFailed', note: `the restore drill failed: ${message}` });
}

function conditionsOf(
  { spec }: Schedule,
  {
    owned,
    status,
  }: { readonly owned: readonly Stored<PostgresBackup>[]; readonly status: PostgresBackupScheduleStatus },
) {
  const ended = owned.filter(({ status: { phase } = {} }) => phase === 'Completed' || phase === 'Failed');
  const last = ended.sort(byCreation).at(-1);
  const isComplete = last?.status?.phase === 'Completed';
  const { lastDrill } = status;
  return [
    {
      type: 'Ready',
      status: 'True',
      reason: spec.suspend ? 'Suspended' : 'Scheduled',
      message: spec.suspend
        ? 'spec.suspend is true: no backups are created, and no drills run'
        : status.nextScheduleTime === undefined
          ? 'the schedule matches no date'
          : `the next backup is due at ${status.nextScheduleTime}`,
    } as const,
    ...(last
      ? [
          {
            type: 'LastBackupSucceeded',
            status: isComplete ? 'True' : 'False',
            reason: isComplete ? 'Completed' : 'Failed',
            message: isComplete
              ? `${last.metadata.name} is complete`
              : `${last.metadata.name}: ${last.status?.error ?? ''}`,
          } as const,
        ]
      : []),
    ...(lastDrill
      ? [
          {
            type: 'LastDrillSucceeded',
            status: lastDrill.succeeded ? 'True' : 'False',
            reason: lastDrill.succeeded ? 'Restored' : 'Failed',
            message: lastDrill.message ?? `restored ${lastDrill.backup} in ${lastDrill.durationSeconds} s`,
          } as const,
        ]
      : []),
  ];
}

function scheduledBackup({ metadata, status }: Stored<PostgresBackup>): ScheduledBackup {
  return { name: metadata.name, createdAt: metadata.creationTimestamp ?? '', phase: status?.phase ?? 'Pending' };
}

/** Returns the condition that ended a Job, or undefined while it runs. */
function endOf({ status }: Stored<Job>) {
  return status?.conditions?.find(
    ({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True',
  );
}

/** Sorts objects by their scheduled time. Their names end with that time, in minutes since 1970. */
function byCreation(a: Stored<PostgresBackup | Job>, b: Stored<PostgresBackup | Job>): number {
  const minutes = ({ metadata: { name } }: Stored<PostgresBackup | Job>) =>
    Number(name.slice(name.lastIndexOf('-') + 1));
  return minutes(a) - minutes(b);
}
