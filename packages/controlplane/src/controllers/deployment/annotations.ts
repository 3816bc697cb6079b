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

/** The revision of a deployment or replica set; 0 when it has none. */
export function revisionOf(object: Deployment | ReplicaSet): number {
  const text = object.metadata.annotations?.[revisionAnnotation];
  const revision = Number(text ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

/** Highest revision of some replica sets. */
export function maxRevision(sets: readonly ReplicaSet[]): number {
  return sets.reduce((most, each) => Math.max(most, revisionOf(each)), 0);
}

/**
 * The new replica set's annotations: the deployment's, and a revision that is never lowered (older sets may have been
 * deleted since it was given), with the earlier ones kept as history.
 */
export function newReplicaSetAnnotations(deployment: Deployment, present: Annotations, revision: number): Annotations {
  const annotations: Record<string, string> = { ...present };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!notCopied.has(key)) annotations[key] = value;
  }
  const old = present[revisionAnnotation];
  const oldRevision = Number(old ?? 0);
  if (!Number.isSafeInteger(oldRevision) || oldRevision >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (old !== undefined) annotations[historyAnnotation] = withRevision(present[historyAnnotation], old);
  return annotations;
}

/** The annotations by which scaling finds out what a replica set was sized for. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredReplicas(deployment);
  return { [desiredAnnotation]: String(desired), [maxAnnotation]: String(desired + maxSurge(deployment)) };
}

/** True if the replica set was sized for another deployment size than the present one. */
export function isSizedForOther(set: ReplicaSet, deployment: Deployment): boolean {
  const text = set.metadata.annotations?.[desiredAnnotation];
  return text !== undefined && text !== '' && Number(text) !== desiredReplicas(deployment);
}

/** The most pods that the deployment was allowed when the replica set was sized last. */
export function maxReplicasWhenSized(set: ReplicaSet): number | undefined {
  const text = set.metadata.annotations?.[maxAnnotation];
  const count = Number(text);
  return text === undefined || text === '' || !Number.isSafeInteger(count) ? undefined : count;
}

function withRevision(history: string | undefined, revision: string): string {
  if (!history) return revision;
  const revisions = [...history.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > longestHistory) revisions.shift();
  return revisions.join(',');
}
