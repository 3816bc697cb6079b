import { isAlreadyExists, isControlledBy, isNotFound, objectKey, type Stored } from '@kubewright/apimachinery';
import { ControllerRevision, type StatefulSet } from '@kubewright/apimachinery/apps/v1';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import type { RequestContext } from '@kubewright/runtime';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { shortHash } from '../template-hash.ts';
import { byRevision, isSameRevision, newRevision, nextRevision, revisionData } from '../template-revision.ts';

const hashLabel = 'controller.kubernetes.io/hash';

/** The revisions of a set's template. */
export interface Revisions {
  /** The revision that the set had before the update in progress. Equals `update` if no update is in progress. */
  readonly current: Stored<ControllerRevision>;
  /** The revision of the set's current template. */
  readonly update: Stored<ControllerRevision>;
  /** All revisions, oldest first. */
  readonly all: readonly Stored<ControllerRevision>[];
  readonly collisionCount: number;
}

/** Finds or creates the revision of a set's current template. */
export async function findRevisions(ctx: RequestContext, set: Stored<StatefulSet>): Promise<Revisions> {
  const lister = ctx.cache.lister(ControllerRevision);
  const { uid } = set.metadata;
  const known = [...lister.list({ index: { name: 'controller', value: uid } })].sort(byRevision);
  const next = nextRevision(known.at(-1));
  const wanted = { data: revisionData(set) };
  const equal = known.filter((revision) => isSameRevision(revision, wanted)).at(-1);
  let collisionCount = set.status?.collisionCount ?? 0;
  let update: Stored<ControllerRevision>;
  if (equal && equal === known.at(-1)) {
    update = equal;
  } else if (equal) {
    // After a rollback, an old revision becomes the newest again.
    update = await updateObject(ctx, { kind: ControllerRevision, object: { ...equal, revision: next } });
  } else {
    ({ revision: update, collisionCount } = await createRevision(ctx, { set, revision: next, collisionCount }));
  }
  const current = known.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const all = [...known.filter(({ metadata }) => metadata.uid !== update.metadata.uid), update];
  return { current, update, all, collisionCount };
}

/** Returns the pod template that a revision stores. */
export function templateOf(revision: ControllerRevision): PodTemplateSpec | undefined {
  // The data was written by this controller, or by upstream's controller in the same format.
  const { spec } = (revision.data ?? {}) as {
    readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } };
  };
  if (!spec?.template) return undefined;
  const { $patch: _replace, ...template } = spec.template;
  return template;
}

/** Deletes the oldest revisions beyond the set's history limit, except revisions that pods still use. */
export async function truncateHistory(
  ctx: RequestContext,
  {
    set,
    revisions,
    live,
  }: { readonly set: StatefulSet; readonly revisions: Revisions; readonly live: ReadonlySet<string> },
): Promise<void> {
  const { current, update, all } = revisions;
  const keep = new Set([...live, current.metadata.name, update.metadata.name]);
  const history = all.filter(({ metadata }) => !keep.has(metadata.name));
  const surplus = history.length - (set.spec?.revisionHistoryLimit ?? 10);
  for (const object of history.slice(0, Math.max(0, surplus))) {
    await deleteObject(ctx, { kind: ControllerRevision, object });
  }
}

async function createRevision(
  ctx: RequestContext,
  options: { readonly set: StatefulSet; readonly revision: number | bigint; readonly collisionCount: number },
): Promise<{ readonly revision: Stored<ControllerRevision>; readonly collisionCount: number }> {
  const { set, revision } = options;
  for (let { collisionCount } = options; ; collisionCount++) {
    const hash = shortHash(revisionData(set), { collisionCount });
    const object = newRevision(set, { hash, hashLabel, revision });
    try {
      return { revision: await createObject(ctx, { kind: ControllerRevision, object }), collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await existingRevision(ctx, object);
      if (existing && isSameRevision(existing, object) && isControlledBy(existing, set))
        return { revision: existing, collisionCount };
    }
  }
}

async function existingRevision(
  ctx: RequestContext,
  object: ControllerRevision,
): Promise<Stored<ControllerRevision> | undefined> {
  try {
    return await ctx.client.resource(ControllerRevision).get(objectKey(object), { signal: ctx.signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
