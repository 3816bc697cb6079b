import { type Kind, type KubernetesObject, KubewrightError, scaledValue } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { type Pod, ReplicationController } from '@kubewright/apimachinery/core/v1';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type { RequestContext } from '@kubewright/runtime';

/** Expected pod counts of a budget. */
export interface Expectation {
  readonly expected: number;
  /** How many of them must be healthy. */
  readonly desired: number;
}

/** Thrown if a budget cannot be computed. Its status reports the reason. */
export class UnknownScaleError extends KubewrightError {
  override readonly name = 'UnknownScaleError';
  readonly code = 'KW5105';
}

interface Scalable extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
}

const scalable: readonly Kind<Scalable>[] = [ReplicationController, ReplicaSet, StatefulSet, Deployment];

/**
 * Returns how many pods are expected and how many must be healthy. Percentages and `maxUnavailable` refer to the desired replicas
 * of the pods' controllers. Mirrors `getExpectedPodCount` (1.36) for the built-in controllers.
 *
 * @throws {@link UnknownScaleError} if a pod's controller has no known scale.
 */
export function expectationOf(
  { spec }: PodDisruptionBudget,
  { pods, ctx }: { readonly pods: readonly Pod[]; readonly ctx: RequestContext },
): Expectation {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const expected = scaleOf(pods, ctx);
    const missing = scaledValue(maxUnavailable, { total: expected, roundUp: true }) ?? 0;
    return { expected, desired: Math.max(0, expected - missing) };
  }
  if (typeof minAvailable === 'number') return { expected: pods.length, desired: minAvailable };
  if (minAvailable === undefined) return { expected: 0, desired: 0 };
  const expected = scaleOf(pods, ctx);
  return { expected, desired: scaledValue(minAvailable, { total: expected, roundUp: true }) ?? 0 };
}

/** Returns the total desired replicas of the pods' controllers. Pods without a controller do not count. */
function scaleOf(pods: readonly Pod[], ctx: RequestContext): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const reference = controllerReference(pod);
    if (reference === undefined || scales.has(reference.uid)) continue;
    const owner = lookUp(reference, { namespace: pod.metadata.namespace ?? '', ctx });
    if (owner === undefined)
      throw new UnknownScaleError({ what: `found no controllers for pod "${pod.metadata.name}"` });
    scales.set(owner.metadata.uid ?? '', owner.spec?.replicas ?? 1);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

type Reference = NonNullable<KubernetesObject['metadata']['ownerReferences']>[number];

/** Returns the controller that determines the replicas: the Deployment instead of its ReplicaSet. */
function lookUp(
  { kind, name, uid, apiVersion }: Reference,
  at: { readonly namespace: string; readonly ctx: RequestContext },
): Scalable | undefined {
  const { namespace, ctx } = at;
  const found = scalable.find((one) => one.kind === kind && apiVersion.startsWith(one.group));
  const owner = found && ctx.cache.lister(found).get({ namespace, name });
  if (owner === undefined || owner.metadata.uid !== uid) return undefined;
  const above = kind === 'ReplicaSet' ? controllerReference(owner) : undefined;
  return above === undefined ? owner : lookUp(above, at);
}

function controllerReference({ metadata }: KubernetesObject): Reference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
