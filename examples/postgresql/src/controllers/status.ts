import { type Clock, isDeleting, setCondition } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { Postgresql, PostgresqlStatus } from '../api/v1/postgresql.ts';

/** What there is to say of an object, given its pod. */
export function statusOf(pg: Postgresql, pod: Pod, clock: Clock): PostgresqlStatus {
  const phase = phaseOf(pod);
  const generation = pg.metadata.generation ?? 0;
  const ready = setCondition(
    pg.status?.conditions ?? [],
    {
      type: 'Ready',
      status: phase === 'up' ? 'True' : 'False',
      reason: { up: 'ServerUp', pending: 'WaitingForPod', Failed: 'PodFailed' }[phase],
      message: `Pod ${pod.metadata.name} is ${isDeleting(pod) ? 'being deleted' : (pod.status?.phase ?? 'Pending')}`,
      observedGeneration: generation,
    },
    clock,
  );
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  return {
    pgPhase: phase,
    active: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    observedGeneration: generation,
    conditions: ready,
  };
}

function phaseOf(pod: Pod): 'pending' | 'up' | 'Failed' {
  if (pod.status?.phase === 'Failed') return 'Failed';
  const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready && !isDeleting(pod) ? 'up' : 'pending';
}
