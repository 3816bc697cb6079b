import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { enqueueForObject, enqueueMapped, type IndexFunc, requestController, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { byController, OrphanOwners } from '../orphan-owners.ts';
import { PodControl } from '../pods/pod-control.ts';
import { FailureBackoff } from './failure-backoff.ts';
import { isFinished } from './job-conditions.ts';
import { trackingFinalizer } from './job-pods.ts';
import { JobReconcile, releasePod } from './job-reconcile.ts';

const account = 'job-controller';

/**
 * Indexes pods by the name of their job. When a job is deleted, its pods must be released although its uid is no longer
 * known.
 */
const byJobName: IndexFunc<Pod> = ({ namespace, ownerReferences }) =>
  ownerReferences
    .filter(({ kind, controller }) => controller === true && kind === 'Job')
    .map(({ name }) => `${namespace}/${name}`);

const indexes = { controller: byController, job: byJobName };

/** Runs Jobs to completion. Each pod has a finalizer until it is counted, so that no pod is missed or counted twice. */
export function jobController(): BuiltInController {
  const events = new CoreEventRecorder(account);
  const control = new PodControl(events);
  const backoff = new FailureBackoff();
  const orphans = new OrphanOwners();
  return {
    account,
    definition: requestController({
      name: account,
      for: Job,
      maxConcurrentReconciles: 5,
      watches: [
        watch(Job, enqueueForObject<Job>()),
        watch(
          Job,
          orphans.track<Job>(({ spec }) => spec?.selector),
        ),
        watch(
          Pod,
          enqueueMapped<Pod>(({ namespace, ownerReferences }) =>
            ownerReferences
              .filter(({ kind, controller }) => controller === true && kind === 'Job')
              .map(({ name }) => ({ namespace, name })),
          ),
          { indexes },
        ),
        watch(
          Pod,
          enqueueMapped<Pod>((view) => orphans.of(view)),
          { indexes },
        ),
      ],
      async reconcile(request, ctx) {
        const job = ctx.cache.lister(Job).get(request);
        const value = `${request.namespace}/${request.name}`;
        const pods = ctx.cache.lister(Pod).list({ index: { name: 'job', value } });
        const open = job && !isFinished(job) ? job : undefined;
        const held = pods.filter(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer));
        const uid = open?.metadata.uid;
        // Release the pods of a deleted or finished job, which are no longer counted.
        const lost = held.filter(({ metadata }) => !metadata.ownerReferences?.some((owner) => owner.uid === uid));
        await Promise.all(lost.map((pod) => releasePod(ctx, pod)));
        const { managedBy = 'kubernetes.io/job-controller' } = open?.spec ?? {};
        if (!open || managedBy !== 'kubernetes.io/job-controller') return undefined;
        return events.during(ctx, () => new JobReconcile(open, { ctx, events, control, backoff }).run());
      },
    }),
  };
}
