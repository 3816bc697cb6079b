import { CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import { controller, enqueueForOwner, type IndexFunc, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { CronJobReconcile } from './cron-job-reconcile.ts';

/** Indexes jobs by the name of their cron job. Ignores the cron job's uid, as upstream does. */
const byCronJobName: IndexFunc<Job> = ({ namespace, ownerReferences }) =>
  ownerReferences.filter((reference) => reference.controller === true).map(({ name }) => `${namespace}/${name}`);

/** Starts Jobs on a schedule. Mirrors the CronJob controller (1.36). */
export function cronJobController(): BuiltInController {
  const events = new CoreEventRecorder('cronjob-controller');
  /** The schedule that each cron job was last reconciled with, by uid. */
  const schedules = new Map<string, string>();
  return {
    account: 'cronjob-controller',
    definition: controller({
      name: 'cronjob-controller',
      for: CronJob,
      maxConcurrentReconciles: 5,
      watches: [
        watch<CronJob>(CronJob, ({ type, object }) => {
          if (type === 'delete') schedules.delete(object.uid);
        }),
        watch(Job, enqueueForOwner<Job>(CronJob), { indexes: { cronJob: byCronJobName } }),
      ],
      reconcile: (cronJob, ctx) =>
        events.during(ctx, () => new CronJobReconcile(cronJob, { ctx, events, schedules }).run()),
    }),
  };
}
