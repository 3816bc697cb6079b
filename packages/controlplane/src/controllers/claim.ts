import {
  apiVersionOf,
  controllerOf,
  isDeleting,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type LabelSelector,
  objectKey,
} from '@kubewright/apimachinery';
import { patchObject, type WriteContext } from './object-writes.ts';

/** Who claims what. */
export interface Claim<O extends KubernetesObject, T extends KubernetesObject> {
  readonly owner: O;
  readonly ownerKind: Kind<O>;
  readonly selector: LabelSelector;
  readonly kind: Kind<T>;
  /** Objects of the owner's namespace: those it controls and those that nobody does. */
  readonly candidates: readonly T[];
  /** More conditions that an object must meet. */
  readonly matches?: (object: T) => boolean;
  /** Finalizers that adoption puts on, and release takes off. */
  readonly finalizers?: readonly string[];
}

/**
 * Answers the objects that belong to an owner, after adopting orphans that its selector takes and releasing its own that
 * it takes no more. Every patch carries the object's uid, so that it cannot hit another of the same name; before the
 * first adoption the owner is read live, so that one that was deleted adopts nothing. Mirrors `ControllerRefManager`.
 */
export async function claim<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  what: Claim<O, T>,
): Promise<readonly T[]> {
  const { owner, candidates, selector, matches = () => true } = what;
  const mine: T[] = [];
  let checked: Promise<void> | undefined;
  for (const object of candidates) {
    const controller = controllerOf(object);
    const selected = selector.matches(object.metadata.labels) && matches(object);
    if (controller) {
      if (controller.uid !== owner.metadata.uid) continue;
      if (selected) mine.push(object);
      else if (!isDeleting(owner)) await release(ctx, what, object);
    } else if (selected && !isDeleting(owner) && !isDeleting(object)) {
      checked ??= canAdopt(ctx, what);
      await checked;
      const adopted = await adopt(ctx, what, object);
      if (adopted) mine.push(adopted);
    }
  }
  return mine;
}

/** @throws when the owner, read live, is gone, another, or being deleted. */
async function canAdopt<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, ownerKind }: Claim<O, T>,
): Promise<void> {
  const key = objectKey(owner);
  const live = await ctx.client.resource(ownerKind).get(key, { signal: ctx.signal });
  const name = `${key.namespace ?? ''}/${key.name}`;
  if (live.metadata.uid !== owner.metadata.uid) {
    throw new Error(`cannot adopt for ${ownerKind.kind} ${name}: it was replaced by another of the same name`);
  }
  if (isDeleting(live)) {
    throw new Error(`cannot adopt for ${ownerKind.kind} ${name}: it has just been deleted`);
  }
}

async function adopt<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, ownerKind, kind, finalizers }: Claim<O, T>,
  object: T,
): Promise<T | undefined> {
  const { name = '', uid = '' } = owner.metadata;
  const reference = {
    apiVersion: apiVersionOf(ownerKind),
    kind: ownerKind.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const body = {
    metadata: {
      ownerReferences: [reference],
      uid: object.metadata.uid,
      ...(finalizers && { finalizers }),
    },
  };
  return patchOrGone(ctx, { kind, object, patch: { type: 'strategic', body } });
}

async function release<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, kind, finalizers }: Claim<O, T>,
  object: T,
): Promise<void> {
  const body = {
    metadata: {
      ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
      uid: object.metadata.uid,
      ...(finalizers && { '$deleteFromPrimitiveList/finalizers': finalizers }),
    },
  };
  await patchOrGone(ctx, { kind, object, patch: { type: 'strategic', body } });
}

async function patchOrGone<T extends KubernetesObject>(
  ctx: WriteContext,
  write: Parameters<typeof patchObject<T>>[1],
): Promise<T | undefined> {
  try {
    return await patchObject(ctx, write);
  } catch (error) {
    // Deleted meanwhile: nothing to claim or to let go.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
