import {
  apiVersionOf,
  controllerOf,
  isDeleting,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type LabelSelector,
  objectKey,
  type Stored,
} from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { patchObject, type WriteContext } from './object-writes.ts';

/** A request by an owner to claim objects, with the candidates and the criteria. */
export interface Claim<O extends KubernetesObject, T extends KubernetesObject> {
  readonly owner: Stored<O>;
  readonly ownerKind: Kind<O>;
  readonly selector: LabelSelector;
  readonly kind: Kind<T>;
  /** Candidates in the owner's namespace: objects that the owner controls, and objects without a controller. */
  readonly candidates: readonly Stored<T>[];
  /** Returns true if an object meets conditions beyond the selector. @defaultValue a function that returns true */
  readonly matches?: (object: Stored<T>) => boolean;
  /** Finalizers added on adoption and removed on release. */
  readonly finalizers?: readonly string[];
}

/**
 * Returns the objects that belong to an owner. Adopts orphans that match the owner's selector, and releases owned objects that no
 * longer match it. Every patch carries the object's uid, so it cannot change another object with the same name. Before the first
 * adoption, the owner is read live, so that a deleted owner adopts nothing. Mirrors `ControllerRefManager`.
 */
export async function claim<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  what: Claim<O, T>,
): Promise<readonly Stored<T>[]> {
  const { owner, candidates, selector, matches = () => true } = what;
  const mine: Stored<T>[] = [];
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

/**
 * Checks that the owner may adopt objects.
 *
 * @throws Error if the live owner is missing, was replaced, or is being deleted.
 */
async function canAdopt<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, ownerKind }: Claim<O, T>,
): Promise<void> {
  const key = objectKey(owner);
  const live = await ctx.client.resource(ownerKind).get(key, { signal: ctx.signal });
  const name = `${key.namespace ?? ''}/${key.name}`;
  if (live.metadata.uid !== owner.metadata.uid) {
    throw new Error(
      `original ${ownerKind.kind} ${name} is gone: got uid ${live.metadata.uid}, wanted ${owner.metadata.uid}`,
    );
  }
  if (isDeleting(live)) {
    throw new Error(`${name} has just been deleted at ${live.metadata.deletionTimestamp}`);
  }
}

async function adopt<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, ownerKind, kind, finalizers }: Claim<O, T>,
  object: Stored<T>,
): Promise<Stored<T> | undefined> {
  const { name, uid } = owner.metadata;
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
      ...defined({ finalizers }),
    },
  };
  return patchOrGone(ctx, { kind, object, patch: { type: 'strategic', body } });
}

async function release<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: WriteContext,
  { owner, kind, finalizers }: Claim<O, T>,
  object: Stored<T>,
): Promise<void> {
  const body = {
    metadata: {
      ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }],
      uid: object.metadata.uid,
      ...defined({ '$deleteFromPrimitiveList/finalizers': finalizers }),
    },
  };
  await patchOrGone(ctx, { kind, object, patch: { type: 'strategic', body } });
}

async function patchOrGone<T extends KubernetesObject>(
  ctx: WriteContext,
  write: Parameters<typeof patchObject<T>>[1],
): Promise<Stored<T> | undefined> {
  try {
    return await patchObject(ctx, write);
  } catch (error) {
    // The object was deleted in the meantime, so there is nothing to claim or release.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
