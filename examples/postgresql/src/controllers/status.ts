import { type ConditionUpdate, isDeleting, type Stored } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PostgresqlStatus } from '../api/v1/postgresql.ts';

/** Returns the status and conditions of an object, given its pod. */
export function statusOf(pod: Stored<Pod> | undefined): { status: PostgresqlStatus; conditions: [ConditionUpdate] } {
  const pgPhase = phaseOf(pod);
  const ready = {
    type: 'Ready',
    status: pgPhase === 'up' ? 'True' : 'False',
    reason: { up: 'ServerUp', pending: 'WaitingForPod', Failed: 'PodFailed' }[pgPhase],
  } as const;
  if (!pod) return { status: { pgPhase }, conditions: [ready] };
  const { namespace, name, uid } = pod.metadata;
  const message = `Pod ${name} is ${isDeleting(pod) ? 'being deleted' : (pod.status?.phase ?? 'Pending')}`;
  const active = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  return { status: { pgPhase, active }, conditions: [{ ...ready, message }] };
}

function phaseOf(pod: Pod | undefined): 'pending' | 'up' | 'Failed' {
  if (pod?.status?.phase === 'Failed') return 'Failed';
  const ready = pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return pod && ready && !isDeleting(pod) ? 'up' : 'pending';
}
