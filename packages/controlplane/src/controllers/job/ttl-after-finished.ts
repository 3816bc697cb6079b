import { isConflict, isDeleting, isNotFound, objectKey } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { isFinished } from './job-conditions.ts';

/** Deletes Jobs some time after they have finished, where they ask for that. */
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
        // Somebody else wrote the condition, without a time: there is nothing to count from.
        if (Number.isNaN(dueMs)) return undefined;
        const waitMs = dueMs - ctx.clock.now();
        if (waitMs > 0) return { requeueAfterMs: waitMs };
        const preconditions = { uid: job.metadata.uid, resourceVersion: job.metadata.resourceVersion };
        try {
          await ctx.client
            .resource(Job)
            .delete(objectKey(job), { preconditions, propagationPolicy: 'Foreground', signal: ctx.signal });
        } catch (error) {
          // Gone, or changed: its next event leads here again.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        return undefined;
      },
    }),
  };
}
