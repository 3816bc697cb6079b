import type { ObjectMeta } from '@kubewright/apimachinery';
import { evaluatePod } from './evaluate-pod.ts';
import type { CheckedPod } from './security-check.ts';
import { formatLevel, type LevelVersion } from './security-policy.ts';

const maxPods = 3000;

/** A stored pod. */
export interface ExistingPod extends CheckedPod {
  readonly metadata: ObjectMeta;
}

/** Returns warnings about pods that violate the level that their namespace gets; pods of one controller count as one reason. */
export function existingPodWarnings(
  pods: readonly ExistingPod[],
  { namespace, enforce }: { readonly namespace: string; readonly enforce: LevelVersion },
): readonly string[] {
  const checked = oneOfEachControllerFirst(pods).slice(0, maxPods);
  const found = new Map<string, { readonly name: string; readonly count: number }>();
  for (const pod of checked) {
    const reasons = evaluatePod(pod, enforce).map(({ reason }) => reason);
    if (reasons.length === 0) continue;
    const name = pod.metadata.name ?? '';
    const before = found.get(reasons.join(', '));
    const first = before && before.name < name ? before.name : name;
    found.set(reasons.join(', '), { name: first, count: (before?.count ?? 0) + 1 });
  }
  const texts = [...found].map(([reasons, { name, count }]) => `${name}${others(count - 1)}: ${reasons}`).sort();
  return [
    ...(checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(texts.length > 0
      ? [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevel(enforce)}"`,
        ]
      : []),
    ...texts,
  ];
}

function others(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' (and 1 other pod)' : ` (and ${count} other pods)`;
}

function oneOfEachControllerFirst(pods: readonly ExistingPod[]): readonly ExistingPod[] {
  const seen = new Set<string>();
  const first: ExistingPod[] = [];
  const rest: ExistingPod[] = [];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    (owner !== undefined && seen.has(owner) ? rest : first).push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...rest];
}
