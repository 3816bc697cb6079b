import { Buffer } from 'node:buffer';
import type { Clock, ObjectMeta } from '@kubewright/apimachinery';
import { Pacer, type StoredObject } from '@kubewright/apiserver/internal';
import { evaluatePod } from './evaluate-pod.ts';
import type { CheckedPod } from './security-check.ts';
import { formatLevel, type LevelVersion } from './security-policy.ts';

const maxPods = 3000;
const maxMs = 1000;

/** A stored pod. */
interface ExistingPod extends CheckedPod {
  readonly metadata: ObjectMeta;
}

/**
 * Returns warnings about stored pods that violate the new level of their namespace. Checks one pod of each controller
 * first. Stops after a second or 3,000 pods, as `EvaluatePodsInNamespace` (1.36) does. Yields to other requests between
 * pods.
 */
export async function existingPodWarnings(
  stored: readonly StoredObject[],
  options: {
    readonly namespace: string;
    readonly enforce: LevelVersion;
    /** Pods with these runtime classes are not checked. */
    readonly exemptRuntimeClasses: readonly string[];
    readonly clock: Clock;
  },
): Promise<readonly string[]> {
  const { namespace, enforce, clock } = options;
  const pacer = new Pacer(clock);
  const deadline = clock.monotonic() + maxMs;
  const isOver = async (): Promise<boolean> => {
    if (pacer.isDue) await pacer.rest();
    return clock.monotonic() >= deadline;
  };
  const { pods, total } = await decodedPods(stored, options.exemptRuntimeClasses, isOver);
  const found = new Map<string, { readonly name: string; readonly count: number }>();
  let checked = 0;
  for (const pod of oneOfEachControllerFirst(pods).slice(0, maxPods)) {
    const reasons = evaluatePod(pod, enforce).map(({ reason }) => reason);
    if (reasons.length > 0) {
      const name = pod.metadata.name ?? '';
      const before = found.get(reasons.join(', '));
      const first = before && before.name < name ? before.name : name;
      found.set(reasons.join(', '), { name: first, count: (before?.count ?? 0) + 1 });
    }
    checked++;
    if (await isOver()) break;
  }
  const texts = [...found].map(([reasons, { name, count }]) => `${name}${others(count - 1)}: ${reasons}`).sort();
  return [
    ...(checked < total
      ? [`new PodSecurity enforce level only checked against the first ${checked} of ${total} existing pods`]
      : []),
    ...(texts.length > 0
      ? [
          `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${formatLevel(enforce)}"`,
        ]
      : []),
    ...texts,
  ];
}

/** Decodes pods until time runs out, and drops exempt pods. Pods that were not decoded count only towards the total. */
async function decodedPods(
  stored: readonly StoredObject[],
  exempt: readonly string[],
  isOver: () => Promise<boolean>,
): Promise<{ readonly pods: readonly ExistingPod[]; readonly total: number }> {
  const pods: ExistingPod[] = [];
  for (const [index, { bytes }] of stored.entries()) {
    const pod = JSON.parse(Buffer.from(bytes).toString('utf8')) as ExistingPod;
    if (!exempt.includes(pod.spec.runtimeClassName ?? '')) pods.push(pod);
    if (await isOver()) return { pods, total: pods.length + stored.length - index - 1 };
  }
  return { pods, total: pods.length };
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
