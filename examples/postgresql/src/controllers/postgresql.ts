import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { childrenFirst, controller } from '@kubewright/runtime';
import { Postgresql } from '../api/v1/postgresql.ts';
import { podFor, secretFor } from './children.ts';
import { statusOf } from './status.ts';

/** Runs one PostgreSQL server, in one pod of the same name, for every `Postgresql`. */
export const postgresql = controller({
  for: Postgresql,
  owns: [Pod, Secret],
  finalizers: { 'database.db.example.com/finalizer': childrenFirst(Pod) },
  desired(pg, observed) {
    const pod = observed.get(Pod, pg.metadata.name);
    // A stopped pod is no longer desired; once it is deleted, a new one is created.
    const ended = pod?.status?.phase === 'Failed' || pod?.status?.phase === 'Succeeded';
    return { children: [secretFor(pg), !ended && podFor(pg)], ...statusOf(pod), requeueAfterMs: 5_000 };
  },
});
