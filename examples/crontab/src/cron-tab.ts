import type { Stored } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { controller } from '@kubewright/runtime';
import { CronTab } from './api/v1/cron-tab.ts';
import { planRuns, type Run, runName } from './plan-runs.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

/** Starts a Job at each scheduled time, and deletes old Jobs. */
export const cronTab = controller({
  for: CronTab,
  owns: [Job],
  async reconcile(cronTab, ctx) {
    const { cronSpec, timeZone = 'Etc/UTC' } = cronTab.spec;
    let schedule: Schedule;
    try {
      schedule = parseSchedule(cronSpec, timeZone);
    } catch (error) {
      // Not retried: only a change of the spec can help, and it triggers a reconcile.
      const message = (error as Error).message;
      const { missedRuns = 0, lastScheduleTime } = cronTab.status ?? {};
      const active = ctx.observed
        .list(Job)
        .map(runOf)
        .filter(({ isFinished }) => !isFinished);
      return {
        status: { missedRuns, active: active.map(({ name }) => name), ...(lastScheduleTime && { lastScheduleTime }) },
        conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidSchedule', message }],
      };
    }
    const now = new Date(ctx.clock.now());
    const plan = planRuns(cronTab, { schedule, runs: ctx.observed.list(Job).map(runOf).sort(byTime), now });
    if (plan.missed > 0) {
      ctx.events.record({
        type: 'Warning',
        reason: 'MissedRuns',
        note: `${plan.missed} ${plan.missed === 1 ? 'run' : 'runs'} did not start in time`,
      });
    }
    // Created before the status is written: after a crash in between, the plan is repeated and finds the Job by its name.
    if (plan.start && !ctx.observed.get(Job, runName(cronTab.metadata.name, plan.start))) {
      const job = await ctx.apply(jobFor(cronTab, plan.start));
      ctx.events.record({ reason: 'Started', note: `started the Job ${job.metadata.name}`, related: job });
    }
    for (const name of plan.surplus) {
      const job = ctx.observed.get(Job, name);
      if (job) await ctx.delete(job, { propagationPolicy: 'Background' });
    }
    return { status: plan.status, ...(plan.next && { requeueAfterMs: plan.next.getTime() - now.getTime() }) };
  },
});

/** Returns the Job of the run at a time. */
function jobFor({ metadata, spec }: Stored<CronTab>, at: Date): Job {
  const { image, command, replicas = 1 } = spec;
  const container = { name: 'run', image, ...(command && { command }) };
  return Job({
    metadata: {
      name: runName(metadata.name, at),
      namespace: metadata.namespace,
      annotations: { 'stable.example.com/scheduled-at': at.toISOString() },
    },
    spec: {
      parallelism: replicas,
      completions: replicas,
      template: { spec: { restartPolicy: 'Never', containers: [container] } },
    },
  });
}

function runOf({ metadata: { name }, status }: Stored<Job>): Run {
  const ends = ['Complete', 'Failed'];
  return {
    name,
    isFinished: (status?.conditions ?? []).some((one) => ends.includes(one.type) && one.status === 'True'),
  };
}

/** Orders runs by the time in their names. */
function byTime(one: Run, other: Run): number {
  return secondsOf(one) - secondsOf(other);
}

function secondsOf({ name }: Run): number {
  return Number(name.slice(name.lastIndexOf('-') + 1));
}
