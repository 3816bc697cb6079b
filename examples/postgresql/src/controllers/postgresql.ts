import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { childrenFirst, controller } from '@kubewright/runtime';
import { Postgresql } from '../api/v1/postgresql.ts';
import { podFor, secretFor } from './children.ts';
import { statusOf } from './status.ts';

/** For each `Postgresql`, runs one PostgreSQL server, in a pod of the same name. */
export const postgresql = controller({
  for: Postgresql,
  owns: [Pod, Secret],
  finalizers: { 'database.db.example.com/finalizer': childrenFirst(Pod) },
  desired(pg, observed) {
    const pod = observed.get(Pod, pg.metadata.name);
    // An ended pod is no longer desired, so it is deleted; then a new one is created.
    const ended = pod?.status?.phase === 'Failed' || pod?.status?.phase === 'Succeeded';
    return { children: [secretFor(pg), !ended && podFor(pg)], ...statusOf(pod), requeueAfterMs: 5_000 };
  },
});
