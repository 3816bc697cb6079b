import { type KubernetesObject, KubewrightError, scaledValue } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';

/** The pod counts that a budget expects. */
export interface Expectation {
  readonly expected: number;
  /** The number of expected pods that must be healthy. */
  readonly desired: number;
  /** True if some pods have no controller, which makes the counts inaccurate. */
  readonly hasUnmanaged: boolean;
}

/** Thrown if the expected pods of a PodDisruptionBudget are unknown. The budget's status reports the reason. */
export class UnknownScaleError extends KubewrightError {
  override readonly name = 'UnknownScaleError';
  readonly code = 'KW5105';
}

/** An owner reference to a controller. */
export type ControllerReference = NonNullable<KubernetesObject['metadata']['ownerReferences']>[number];

/** The number of replicas that the controller of a pod desires. */
export interface OwnerScale {
  readonly uid: string;
  readonly replicas: number;
}

/** Looks up the scale of a pod's controller. Resolves to undefined if the controller does not exist. */
export type ScaleLookup = (reference: ControllerReference) => Promise<OwnerScale | undefined>;

/**
 * Returns the number of expected pods, and how many of them must be healthy. Percentages and `maxUnavailable` refer to the
 * desired replicas of the pods' controllers. Mirrors `getExpectedPodCount` (1.36).
 *
 * @throws {@link UnknownScaleError} if a pod's controller does not exist or has no scale.
 */
export async function expectationOf(
  { spec }: PodDisruptionBudget,
  { pods, scaleOf }: { readonly pods: readonly Pod[]; readonly scaleOf: ScaleLookup },
): Promise<Expectation> {
  const { minAvailable, maxUnavailable } = spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === 'number') {
    return { expected: pods.length, desired: minAvailable, hasUnmanaged: false };
  }
  const bound = maxUnavailable ?? minAvailable;
  if (bound === undefined) return { expected: 0, desired: 0, hasUnmanaged: false };
  const { expected, hasUnmanaged } = await totalScale(pods, scaleOf);
  const scaled = scaledValue(bound, { total: expected, roundUp: true }) ?? 0;
  return { expected, desired: maxUnavailable === undefined ? scaled : Math.max(0, expected - scaled), hasUnmanaged };
}

/** Returns the sum of the desired replicas of the pods' controllers. Pods without a controller do not count. */
async function totalScale(
  pods: readonly Pod[],
  scaleOf: ScaleLookup,
): Promise<{ readonly expected: number; readonly hasUnmanaged: boolean }> {
  const scales = new Map<string, number>();
  const visited = new Set<string>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const reference = controllerReference(pod);
    if (reference === undefined) hasUnmanaged = true;
    if (reference === undefined || visited.has(reference.uid)) continue;
    visited.add(reference.uid);
    const owner = await scaleOf(reference);
    if (!owner) throw new UnknownScaleError({ what: `found no controllers for pod "${pod.metadata.name}"` });
    scales.set(owner.uid, owner.replicas);
  }
  return { expected: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), hasUnmanaged };
}

export function controllerReference({ metadata }: KubernetesObject): ControllerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}
