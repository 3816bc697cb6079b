import type { KubernetesObject } from '@kubewright/apimachinery';

interface Workload extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/**
 * True if a workload is rolled out, as `kubectl rollout status` defines it, a Job is complete or failed, or a Pod is
 * ready.
 */
export function isReady(object: KubernetesObject): boolean {
  const { metadata, spec, status = {} } = object as Workload;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, desiredNumberScheduled = 0 } = status;
  const isTrue = (...types: readonly string[]): boolean =>
    status.conditions?.some((each) => types.includes(each.type) && each.status === 'True') ?? false;
  const isObserved = (status.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  const wanted = spec?.replicas ?? 1;
  switch (object.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return isObserved && [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
    case 'ReplicaSet':
      return isObserved && replicas === wanted && availableReplicas === wanted;
    case 'DaemonSet': {
      const { updatedNumberScheduled = 0, numberAvailable = 0 } = status;
      return isObserved && [updatedNumberScheduled, numberAvailable].every((count) => count === desiredNumberScheduled);
    }
    case 'Job':
      return isTrue('Complete', 'Failed');
    case 'Pod':
      return isTrue('Ready');
    default:
      return false;
  }
}
