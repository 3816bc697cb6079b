import {
  isAlreadyExists,
  isControlledBy,
  objectKey,
  type Stored,
  setControllerReference,
} from '@kubewright/apimachinery';
import { type Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import { createObject, updateObject } from '../object-writes.ts';
import { isNamespaceTerminating, messageOf } from '../pods/pod-control.ts';
import { canonicalJson, shortHash } from '../template-hash.ts';
import {
  maxRevision,
  newReplicaSetAnnotations,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './annotations.ts';
import { conditionOf, newCondition, progressDeadlineSeconds, reasons } from './conditions.ts';
import type { Rollout } from './rollout.ts';
import { byCreation, newReplicaSetSize } from './rollout-math.ts';

const templateHashLabel = 'pod-template-hash';

/** The replica set of the deployment's current template, and the deployment's other replica sets. */
export interface Generations {
  readonly current: Stored<ReplicaSet> | undefined;
  readonly old: readonly Stored<ReplicaSet>[];
}

/** Returns the oldest set whose template equals the deployment's, ignoring the hash label. */
function findNewReplicaSet(
  deployment: Deployment,
  sets: readonly Stored<ReplicaSet>[],
): Stored<ReplicaSet> | undefined {
  const wanted = comparable(deployment.spec?.template);
  return [...sets].sort(byCreation).find((set) => comparable(set.spec?.template) === wanted);
}

/**
 * Separates the new set from the old ones, and updates revision and conditions. Creates a missing new set if `create` is true.
 */
export async function generations(rollout: Rollout, how: { readonly create: boolean }): Promise<Generations> {
  const found = findNewReplicaSet(rollout.deployment, rollout.sets);
  const old = rollout.sets.filter((set) => set.metadata.uid !== found?.metadata.uid);
  const revision = maxRevision(old) + 1n;
  if (found) return { current: await syncCurrent(rollout, { set: found, revision }), old };
  if (!how.create) return { current: undefined, old };
  return { current: await createReplicaSet(rollout, { old, revision }), old };
}

/** Copies the deployment's annotations and minReadySeconds to its current set, and brings both to the same revision. */
async function syncCurrent(
  rollout: Rollout,
  { set, revision }: { readonly set: Stored<ReplicaSet>; readonly revision: bigint },
): Promise<Stored<ReplicaSet>> {
  const { deployment } = rollout;
  const present = set.metadata.annotations ?? {};
  const annotations = newReplicaSetAnnotations(deployment, present, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (!sameJson(present, annotations) || (set.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    const spec = { ...set.spec!, minReadySeconds };
    const object = { ...set, metadata: { ...set.metadata, annotations }, spec };
    const updated = await updateObject(rollout.ctx, { kind: ReplicaSet, object });
    rollout.replace(updated);
    return updated;
  }
  const unnoted = revisionOf(deployment) !== revisionOf(set);
  const deadline = progressDeadlineSeconds(deployment) !== undefined;
  if (deadline && !conditionOf(deployment.status, 'Progressing')) {
    const message = `Found new replica set "${set.metadata.name}"`;
    const condition = newCondition('Progressing', {
      status: 'True',
      reason: reasons.found,
      message,
      nowMs: rollout.nowMs,
    });
    await rollout.writeCondition(condition, (next) => withRevision(next, revisionOf(set)));
  } else if (unnoted) {
    await rollout.writeStatus(withRevision(deployment, revisionOf(set)));
  }
  return set;
}

async function createReplicaSet(
  rollout: Rollout,
  { old, revision }: { readonly old: readonly ReplicaSet[]; readonly revision: bigint },
): Promise<Stored<ReplicaSet> | undefined> {
  const { ctx, deployment, events } = rollout;
  const size = newReplicaSetSize(deployment, { all: old, present: 0 });
  const wanted = replicaSetOf(deployment, { size, revision });
  let created: Stored<ReplicaSet>;
  let isNew = true;
  try {
    created = await createObject(ctx, { kind: ReplicaSet, object: wanted });
  } catch (error) {
    if (isAlreadyExists(error)) {
      created = await takeExisting(rollout, { wanted, error });
      isNew = false;
    } else {
      return await reportCreateError(rollout, { wanted, error });
    }
  }
  rollout.replace(created);
  const name = created.metadata.name;
  if (isNew && size > 0) {
    const message = `Scaled up replica set ${name} from 0 to ${size}`;
    events.record(ctx, { about: deployment, reason: 'ScalingReplicaSet', message });
  }
  const deadline = progressDeadlineSeconds(deployment) !== undefined;
  if (isNew && deadline) {
    const message = `Created new replica set "${name}"`;
    const { nowMs } = rollout;
    const condition = newCondition('Progressing', { status: 'True', reason: reasons.created, message, nowMs });
    await rollout.writeCondition(condition, (next) => withRevision(next, revision));
  } else if (revisionOf(deployment) !== revision) {
    await rollout.writeStatus(withRevision(deployment, revision));
  }
  return created;
}

/**
 * Uses an existing set of the same name if it belongs to this deployment and has the same template: an earlier reconcile created
 * it. Otherwise two templates have the same hash, and the next reconcile includes the increased collision count in the hash.
 */
async function takeExisting(
  rollout: Rollout,
  { wanted, error }: { readonly wanted: ReplicaSet; readonly error: unknown },
): Promise<Stored<ReplicaSet>> {
  const { ctx, deployment } = rollout;
  const existing = await ctx.client.resource(ReplicaSet).get(objectKey(wanted), { signal: ctx.signal });
  const same = comparable(existing.spec?.template) === comparable(deployment.spec?.template);
  if (isControlledBy(existing, deployment) && same) return existing;
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  await rollout.writeStatus({ ...deployment, status: { ...deployment.status, collisionCount } });
  throw error;
}

async function reportCreateError(
  rollout: Rollout,
  { wanted, error }: { readonly wanted: ReplicaSet; readonly error: unknown },
): Promise<never> {
  const { ctx, deployment, events } = rollout;
  if (isNamespaceTerminating(error)) throw error;
  const message = `Failed to create new replica set "${wanted.metadata.name}": ${messageOf(error)}`;
  if (progressDeadlineSeconds(deployment) !== undefined) {
    const { nowMs } = rollout;
    await rollout.writeCondition(
      newCondition('Progressing', { status: 'False', reason: reasons.createError, message, nowMs }),
    );
  }
  events.record(ctx, { about: deployment, type: 'Warning', reason: reasons.createError, message });
  throw error;
}

function replicaSetOf(
  deployment: Stored<Deployment>,
  { size, revision }: { readonly size: number; readonly revision: bigint },
): ReplicaSet {
  const { name, namespace } = deployment.metadata;
  const { selector = {}, template = {}, minReadySeconds } = deployment.spec ?? {};
  const { collisionCount } = deployment.status ?? {};
  const hash = shortHash(template, { collisionCount });
  const labels = { ...template.metadata?.labels, [templateHashLabel]: hash };
  const annotations = { ...newReplicaSetAnnotations(deployment, {}, revision), ...sizeAnnotations(deployment) };
  const set = ReplicaSet({
    metadata: { name: `${name}-${hash}`, namespace, labels, annotations },
    spec: {
      replicas: size,
      ...defined({ minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  return setControllerReference(set, deployment);
}

function withRevision(deployment: Deployment, revision: bigint): Deployment {
  const annotations = { ...deployment.metadata.annotations, [revisionAnnotation]: String(revision) };
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

function comparable(template: PodTemplateSpec | undefined): string {
  const { [templateHashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  const metadata = { ...template?.metadata, creationTimestamp: undefined, labels };
  return canonicalJson({ ...template, metadata });
}
