import type { DaemonSetStatus } from '@kubewright/apimachinery/apps/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { nonZero } from '../non-zero.ts';
import { isPodAvailable, isPodReady } from '../pods/pod-state.ts';
import { type DaemonState, scheduledThenOldest } from './daemon-plan.ts';
import { isUpdated } from './daemon-pod.ts';
import { nodeFit } from './node-fit.ts';

/** Computes a daemon set's status. Counts at most one pod per node. */
export function daemonSetStatus({ set, nodes, pods, hash, nowMs }: DaemonState): DaemonSetStatus {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const [pod] = [...(pods.get(node.metadata.name) ?? [])].sort(scheduledThenOldest);
    if (!nodeFit(set, node).shouldRun) {
      if (pod) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!pod) continue;
    counts.current++;
    if (isPodReady(pod)) counts.ready++;
    if (isPodAvailable(pod, { minReadySeconds, nowMs })) counts.available++;
    if (isUpdated(pod, { set, hash })) counts.updated++;
  }
  const { conditions, collisionCount } = set.status ?? {};
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...defined({ observedGeneration: set.metadata.generation }),
    ...nonZero('updatedNumberScheduled', counts.updated),
    ...nonZero('numberAvailable', counts.available),
    ...nonZero('numberUnavailable', counts.desired - counts.available),
    ...defined({ collisionCount, conditions }),
  };
}
