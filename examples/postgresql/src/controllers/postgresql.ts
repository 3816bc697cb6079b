import { isDeleting, objectKey } from '@kubewright/apimachinery';
import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { controller, type ReconcileContext, type ReconcileOutcome } from '@kubewright/runtime';
import { Postgresql } from '../api/v1/postgresql.ts';
import { podFor, secretFor } from './children.ts';
import { statusOf } from './status.ts';

/** Runs one PostgreSQL server, in one pod of the same name, for every `Postgresql`. */
export const postgresql = controller({
  for: Postgresql,
  owns: [Pod, Secret],
  finalizers: { 'database.db.example.com/finalizer': deletePodFirst },
  async reconcile(pg, ctx) {
    const found = await ctx.get(Pod, objectKey(pg));
    if (found && (isDeleting(found) || hasEnded(found))) {
      await show(pg, found, ctx);
      if (!isDeleting(found)) await ctx.delete(found); // the next reconcile, caused by its deletion, makes a new one
      return { requeueAfterMs: 5_000 };
    }
    const [, pod] = await ctx.apply([secretFor(pg), podFor(pg)]);
    if (!found) {
      const note = `Created pod ${pod.metadata.name}`;
      ctx.log.info('created the pod', { image: pod.spec?.containers[0]?.image });
      ctx.events.record({ reason: 'PodCreated', action: 'CreatePod', note, related: pod });
    }
    await show(pg, pod, ctx);
    return { requeueAfterMs: 5_000 };
  },
});

async function show(pg: Postgresql, pod: Pod, ctx: ReconcileContext<Postgresql>): Promise<void> {
  const status = statusOf(pg, pod, ctx.clock);
  if (status.pgPhase !== pg.status?.pgPhase) ctx.log.info('phase changed', { phase: status.pgPhase });
  await ctx.setStatus(status);
}

/** Lets the object go only when its pod has gone. */
async function deletePodFirst(pg: Postgresql, ctx: ReconcileContext<Postgresql>): Promise<ReconcileOutcome> {
  const pod = await ctx.get(Pod, objectKey(pg));
  if (!pod) return undefined;
  if (!isDeleting(pod)) {
    ctx.log.info('deleting the pod first');
    await ctx.delete(pod);
  }
  return { requeueAfterMs: 1_000 };
}

const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';
