import { setControllerReference } from '@kubewright/apimachinery';
import { type CronJob, Job } from '@kubewright/apimachinery/batch/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { TimeZone } from './zoned-time.ts';

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** Returns the name of the job for a scheduled time. Every attempt uses the same name, so no job is created twice. */
export function jobNameAt({ metadata }: CronJob, scheduledMs: number): string {
  return `${metadata.name}-${Math.floor(scheduledMs / 60_000)}`;
}

/** Returns the job for a scheduled time. */
export function scheduledJob(cronJob: CronJob, scheduledMs: number): Job {
  const { jobTemplate, timeZone = '' } = cronJob.spec!;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { namespace } = cronJob.metadata;
  const job = Job({
    metadata: {
      name: jobNameAt(cronJob, scheduledMs),
      ...defined({ namespace, labels }),
      annotations: { ...annotations, [scheduledAnnotation]: new TimeZone(timeZone).format(scheduledMs) },
    },
    ...defined({ spec: jobTemplate.spec }),
  });
  return setControllerReference(job, cronJob);
}
