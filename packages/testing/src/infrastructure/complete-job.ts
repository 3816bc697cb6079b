import type { ObjectKey, Stored } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { writeEvent } from './component-events.ts';

/** Completes a Job without its pods: writes the status and the event that the Job controller (1.36) would write. */
export async function completeJob(
  client: KubernetesClient,
  { key, nowMs }: { readonly key: ObjectKey; readonly nowMs: number },
): Promise<Stored<Job>> {
  const jobs = client.resource(Job);
  const { spec, status } = await jobs.get(key);
  const time = formatTime(nowMs);
  const condition = {
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
    lastProbeTime: time,
    lastTransitionTime: time,
  };
  const body = {
    status: {
      startTime: status?.startTime ?? time,
      completionTime: time,
      succeeded: spec?.completions ?? spec?.parallelism ?? 1,
      active: 0,
      ready: 0,
      terminating: 0,
      uncountedTerminatedPods: {},
      conditions: [
        { type: 'SuccessCriteriaMet', ...condition },
        { type: 'Complete', ...condition },
      ],
    },
  };
  const object = await jobs.status.patch(key, { type: 'merge', body });
  const event = { component: 'job-controller', reason: 'Completed', message: 'Job completed' };
  await writeEvent(client, { object, nowMs, event });
  return object;
}
