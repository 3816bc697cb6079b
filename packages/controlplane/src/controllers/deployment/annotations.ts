import type { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { desiredReplicas, maxSurge } from './rollout-math.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
const longestHistory = 2_000;

const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

/**
 * Returns the revision of a deployment or replica set, or 0 if it has none. Revisions are 64-bit integers, so they do not fit a
 * `number`.
 */
export function revisionOf(object: Deployment | ReplicaSet): bigint {
  return parseInt64(object.metadata.annotations?.[revisionAnnotation]) ?? 0n;
}

/** Returns the highest revision of the replica sets, or 0. */
export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  const newest = [...sets].sort(byRevision).at(-1);
  const revision = newest ? revisionOf(newest) : 0n;
  return revision > 0n ? revision : 0n;
}

/** Orders replica sets by revision, lowest first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/**
 * Returns the annotations of the new replica set: its existing annotations, the deployment's annotations, and the revision. The
 * revision is never lowered, because older sets may have been deleted since it was assigned. If the revision changes, the earlier
 * revision is added to the set's history.
 */
export function newReplicaSetAnnotations(deployment: Deployment, present: Annotations, revision: bigint): Annotations {
  const annotations: Record<string, string> = { ...present };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!notCopied.has(key)) annotations[key] = value;
  }
  const old = present[revisionAnnotation];
  const oldRevision = old ? parseInt64(old) : 0n;
  if (oldRevision === undefined || oldRevision >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (old !== undefined) annotations[historyAnnotation] = withRevision(present[historyAnnotation], old);
  return annotations;
}

/** Returns the annotations that record the deployment's size when a replica set is scaled. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredReplicas(deployment);
  return { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + maxSurge(deployment)) };
}

/** True if the replica set was last scaled when the deployment had a different size. */
export function isSizedForOther(set: ReplicaSet, deployment: Deployment): boolean {
  const text = set.metadata.annotations?.[desiredAnnotation];
  return text !== undefined && text !== '' && Number(text) !== desiredReplicas(deployment);
}

/** Returns the deployment's maximum number of pods when the replica set was last scaled. */
export function maxReplicasWhenSized(set: ReplicaSet): number | undefined {
  const text = set.metadata.annotations?.[maxAnnotation];
  const count = Number(text);
  return text === undefined || text === '' || !Number.isSafeInteger(count) ? undefined : count;
}

function withRevision(history: string | undefined, revision: string): string {
  if (!history) return revision;
  const revisions = [...history.split(','), revision];
  let length = history.length + 1 + revision.length;
  let first = 0;
  for (; first < revisions.length - 1 && length > longestHistory; first++)
    length -= (revisions[first]?.length ?? 0) + 1;
  return revisions.slice(first).join(',');
}

/** Parses a 64-bit integer as Go's `strconv.ParseInt` does. Returns undefined if the text is invalid or out of range. */
function parseInt64(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d{1,32}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
