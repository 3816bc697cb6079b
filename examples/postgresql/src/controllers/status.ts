import { type Clock, isDeleting, setCondition } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { Postgresql, PostgresqlStatus } from '../api/v1/postgresql.ts';

/** What there is to say of an object, given its pod. */
export function statusOf(pg: Postgresql, pod: Pod, clock: Clock): PostgresqlStatus {
  const pgPhase = phaseOf(pod);
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const observedGeneration = pg.metadata.generation ?? 0;
  const ready = {
    type: 'Ready',
    status: pgPhase === 'up' ? 'True' : 'False',
    reason: { up: 'ServerUp', pending: 'WaitingForPod', Failed: 'PodFailed' }[pgPhase],
    message: `Pod ${name} is ${isDeleting(pod) ? 'being deleted' : (pod.status?.phase ?? 'Pending')}`,
    observedGeneration,
  } as const;
  const conditions = setCondition(pg.status?.conditions ?? [], ready, clock);
  const active = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  return { pgPhase, active, observedGeneration, conditions };
}

function phaseOf(pod: Pod): 'pending' | 'up' | 'Failed' {
  if (pod.status?.phase === 'Failed') return 'Failed';
  const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready && !isDeleting(pod) ? 'up' : 'pending';
}
