import { isConflict, isDeleting, isNotFound, objectKey } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { isFinished } from './job-conditions.ts';

/** Deletes finished Jobs that have a TTL, once the TTL has passed. */
export function ttlAfterFinished(): BuiltInController {
  return {
    account: 'ttl-after-finished-controller',
    definition: controller({
      name: 'ttl-after-finished-controller',
      for: Job,
      async reconcile(job, ctx) {
        const { ttlSecondsAfterFinished: ttl } = job.spec ?? {};
        if (ttl === undefined || isDeleting(job) || !isFinished(job)) return undefined;
        const ended = job.status?.conditions?.find(
          ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
        );
        const dueMs = Date.parse(ended?.lastTransitionTime ?? '') + ttl * 1000;
        // Another client wrote the condition without a time, so it is unknown when the TTL started.
        if (Number.isNaN(dueMs)) return undefined;
        const waitMs = dueMs - ctx.clock.now();
        if (waitMs > 0) return { requeueAfterMs: waitMs };
        const preconditions = { uid: job.metadata.uid, resourceVersion: job.metadata.resourceVersion };
        try {
          await ctx.client
            .resource(Job)
            .delete(objectKey(job), { preconditions, propagationPolicy: 'Foreground', signal: ctx.signal });
        } catch (error) {
          // The job was deleted or changed. A change triggers another reconcile.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        return undefined;
      },
    }),
  };
}
