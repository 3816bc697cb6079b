import { isDeleting } from '@kubewright/apimachinery';
import type { StatefulSet, StatefulSetStatus } from '@kubewright/apimachinery/apps/v1';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { nonZero } from '../non-zero.ts';
import type { Revisions } from './revisions.ts';
import { isAvailable, isHealthy, podRevision } from './stateful-pod.ts';

/** Computes a set's status from its pods and revisions. */
export function statefulSetStatus(
  set: StatefulSet,
  { pods, revisions, nowMs }: { readonly pods: readonly Pod[]; readonly revisions: Revisions; readonly nowMs: number },
): StatefulSetStatus {
  const { minReadySeconds = 0, replicas: desired = 1, updateStrategy } = set.spec ?? {};
  const currentName = revisions.current.metadata.name;
  const updateName = revisions.update.metadata.name;
  const staying = pods.filter((pod) => !isDeleting(pod));
  const of = (revision: string): number => staying.filter((pod) => podRevision(pod) === revision).length;
  const ready = pods.filter((pod) => isHealthy(pod)).length;
  const available = pods.filter((pod) => isAvailable(pod, { minReadySeconds, nowMs })).length;
  const updated = of(updateName);
  const rolling = updateStrategy?.type !== 'OnDelete';
  // An update is complete once all pods have the new revision and are ready. Then the new revision becomes the current revision.
  const complete = rolling && updated === desired && ready === desired && pods.length === desired;
  const current = complete ? updated : of(currentName);
  const { generation } = set.metadata;
  return {
    ...defined({ observedGeneration: generation }),
    replicas: pods.length,
    ...nonZero('readyReplicas', ready),
    availableReplicas: available,
    ...nonZero('currentReplicas', current),
    ...nonZero('updatedReplicas', updated),
    currentRevision: complete ? updateName : currentName,
    updateRevision: updateName,
    collisionCount: revisions.collisionCount,
    ...defined({ conditions: set.status?.conditions }),
  };
}
