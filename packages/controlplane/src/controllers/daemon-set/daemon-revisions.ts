import { isAlreadyExists, LabelSelector, objectKey, type Stored } from '@kubewright/apimachinery';
import { ControllerRevision, DaemonSet } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { claim } from '../claim.ts';
import { createObject, deleteObject, patchObject, updateObject, updateStatus } from '../object-writes.ts';
import { orphansOf } from '../orphan-owners.ts';
import { shortHash } from '../template-hash.ts';
import { byRevision, isSameRevision, newRevision, nextRevision, revisionData } from '../template-revision.ts';
import { revisionLabel } from './daemon-pod.ts';

/** A daemon set's current revision hash, and its earlier revisions. */
export interface DaemonRevisions {
  readonly hash: string;
  /** The earlier revisions, oldest first. */
  readonly old: readonly Stored<ControllerRevision>[];
}

/** Finds or creates the revision of a daemon set's current template. Mirrors `constructHistory` (1.36). */
export async function findRevisions(
  ctx: RequestContext,
  { set, pods }: { readonly set: Stored<DaemonSet>; readonly pods: readonly Pod[] },
): Promise<DaemonRevisions> {
  const known: Stored<ControllerRevision>[] = [];
  for (const revision of await claimed(ctx, set)) known.push(await labeled(ctx, revision));
  const wanted = { data: revisionData(set) };
  const equal = known.filter((revision) => isSameRevision(revision, wanted)).sort(byRevision);
  const old = known.filter((revision) => !equal.includes(revision)).sort(byRevision);
  const next = nextRevision(old.at(-1));
  const kept = equal.at(-1);
  if (!kept) return { hash: hashOf(await create(ctx, { set, revision: next })), old };
  for (const duplicate of equal.slice(0, -1)) await replace(ctx, { duplicate, kept, pods });
  if (kept.revision < next) {
    // After a rollback, an old revision becomes the newest again.
    await updateObject(ctx, { kind: ControllerRevision, object: { ...kept, revision: next } });
  }
  return { hash: hashOf(kept), old };
}

/** Deletes the oldest revisions beyond the history limit, except revisions that still have pods. */
export async function truncateHistory(
  ctx: RequestContext,
  {
    set,
    old,
    pods,
  }: { readonly set: DaemonSet; readonly old: readonly Stored<ControllerRevision>[]; readonly pods: readonly Pod[] },
): Promise<void> {
  const surplus = old.length - (set.spec?.revisionHistoryLimit ?? 10);
  if (surplus <= 0) return;
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel]));
  const unused = old.filter((revision) => !live.has(hashOf(revision)));
  for (const object of unused.slice(0, surplus)) await deleteObject(ctx, { kind: ControllerRevision, object });
}

function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[revisionLabel] ?? '';
}

async function claimed(ctx: RequestContext, owner: Stored<DaemonSet>): Promise<readonly Stored<ControllerRevision>[]> {
  const { uid, namespace } = owner.metadata;
  const lister = ctx.cache.lister(ControllerRevision);
  const of = (value: string) => lister.list({ index: { name: 'controller', value } });
  const candidates = [...of(uid), ...of(orphansOf(namespace))];
  const selector = LabelSelector.ofObject(owner.spec?.selector);
  return claim(ctx, { owner, ownerKind: DaemonSet, kind: ControllerRevision, selector, candidates });
}

/** Adds the hash label to a revision that an old version of Kubernetes created without the label. */
async function labeled(ctx: RequestContext, revision: Stored<ControllerRevision>): Promise<Stored<ControllerRevision>> {
  if (hashOf(revision) !== '') return revision;
  const { metadata } = revision;
  const labels = { ...metadata.labels, [revisionLabel]: metadata.name };
  return updateObject(ctx, { kind: ControllerRevision, object: { ...revision, metadata: { ...metadata, labels } } });
}

async function replace(
  ctx: RequestContext,
  of: {
    readonly duplicate: Stored<ControllerRevision>;
    readonly kept: ControllerRevision;
    readonly pods: readonly Pod[];
  },
): Promise<void> {
  const { duplicate, kept, pods } = of;
  for (const pod of pods.filter(({ metadata }) => metadata.labels?.[revisionLabel] === hashOf(duplicate))) {
    const body = { metadata: { uid: pod.metadata.uid, labels: { [revisionLabel]: hashOf(kept) } } };
    await patchObject(ctx, { kind: Pod, object: pod, patch: { type: 'merge', body } });
  }
  await deleteObject(ctx, { kind: ControllerRevision, object: duplicate });
}

async function create(
  ctx: RequestContext,
  { set, revision }: { readonly set: DaemonSet; readonly revision: number | bigint },
): Promise<ControllerRevision> {
  const hash = shortHash(set.spec?.template, { collisionCount: set.status?.collisionCount });
  const object = newRevision(set, { hash, hashLabel: revisionLabel, revision });
  try {
    return await createObject(ctx, { kind: ControllerRevision, object });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await ctx.client.resource(ControllerRevision).get(objectKey(object), { signal: ctx.signal });
    if (isSameRevision(existing, object)) return existing;
    // Two templates have the same hash. The next reconcile includes the increased collision count in the hash.
    const live = await ctx.client.resource(DaemonSet).get(objectKey(set), { signal: ctx.signal });
    const collisionCount = (set.status?.collisionCount ?? 0) + 1;
    if (live.status && (live.status.collisionCount ?? 0) === collisionCount - 1) {
      await updateStatus(ctx, { kind: DaemonSet, object: { ...live, status: { ...live.status, collisionCount } } });
    }
    throw error;
  }
}
