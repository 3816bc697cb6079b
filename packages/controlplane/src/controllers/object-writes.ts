import { isNotFound, type Kind, type KubernetesObject, objectKey, type Stored } from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';
import type { Patch } from '@kubewright/client';
import type { RequestContext } from '@kubewright/runtime';

/** The parts of a reconcile's context that writes need. */
export type WriteContext = Pick<RequestContext, 'client' | 'cache' | 'signal'>;

/** An object to write, with its kind. */
export interface ObjectWrite<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly object: T;
}

/**
 * Creates an object. Reads from the cache show it immediately, so that a controller does not create it twice.
 *
 * @throws StatusError if the server rejects the request.
 */
export async function createObject<T extends KubernetesObject>(
  ctx: WriteContext,
  write: ObjectWrite<T>,
): Promise<Stored<T>> {
  const { kind, object } = write;
  return noted(ctx, { kind, object: await ctx.client.resource(kind).create(object, { signal: ctx.signal }) });
}

/**
 * Replaces an object that was read from the cache.
 *
 * @throws StatusError with reason `Conflict` if the object has changed in the meantime.
 */
export async function updateObject<T extends KubernetesObject>(
  ctx: WriteContext,
  write: ObjectWrite<T>,
): Promise<Stored<T>> {
  const { kind } = write;
  const object = withoutManagedFields(write.object);
  return noted(ctx, { kind, object: await ctx.client.resource(kind).update(object, { signal: ctx.signal }) });
}

/**
 * Replaces an object's status.
 *
 * @throws StatusError with reason `Conflict` if the object has changed in the meantime.
 */
export async function updateStatus<T extends KubernetesObject>(
  ctx: WriteContext,
  write: ObjectWrite<T>,
): Promise<Stored<T>> {
  const { kind } = write;
  const object = withoutManagedFields(write.object);
  return noted(ctx, { kind, object: await ctx.client.resource(kind).status.update(object, { signal: ctx.signal }) });
}

/**
 * Patches an object.
 *
 * @throws StatusError if the object does not exist, if the patch names another uid, or if the result is invalid.
 */
export async function patchObject<T extends KubernetesObject>(
  ctx: WriteContext,
  write: ObjectWrite<T> & { readonly patch: Patch },
): Promise<Stored<T>> {
  const { kind, patch } = write;
  const key = objectKey(write.object);
  return noted(ctx, { kind, object: await ctx.client.resource(kind).patch(key, patch, { signal: ctx.signal }) });
}

/**
 * Patches an object's status.
 *
 * @throws StatusError if the object does not exist, if the patch names another uid, or if the result is invalid.
 */
export async function patchStatus<T extends KubernetesObject>(
  ctx: WriteContext,
  write: ObjectWrite<T> & { readonly patch: Patch },
): Promise<Stored<T>> {
  const { kind, patch } = write;
  const key = objectKey(write.object);
  return noted(ctx, { kind, object: await ctx.client.resource(kind).status.patch(key, patch, { signal: ctx.signal }) });
}

/** Deletes exactly this object: its uid is sent as a precondition. Returns false if it no longer exists. */
export async function deleteObject<T extends KubernetesObject>(
  ctx: WriteContext,
  write: {
    readonly kind: Kind<T>;
    readonly object: T & { readonly metadata: { readonly uid: string } };
    readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
    readonly gracePeriodSeconds?: number;
  },
): Promise<boolean> {
  const { kind, object, propagationPolicy, gracePeriodSeconds } = write;
  const { uid } = object.metadata;
  const key = objectKey(object);
  try {
    const response = await ctx.client
      .resource(kind)
      .delete(key, { preconditions: { uid }, propagationPolicy, gracePeriodSeconds, signal: ctx.signal });
    if ('metadata' in response && 'deletionTimestamp' in response.metadata)
      noted(ctx, { kind, object: response as Stored<T> });
    else ctx.cache.noteDeletion(kind, { key, uid });
    return true;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    ctx.cache.noteDeletion(kind, { key, uid });
    return false;
  }
}

function noted<T extends KubernetesObject>(
  ctx: WriteContext,
  { kind, object }: { readonly kind: Kind<T>; readonly object: Stored<T> },
): Stored<T> {
  ctx.cache.noteWrite(kind, deepFreeze(object));
  return object;
}

/**
 * Removes managedFields, because cached objects lack the entries of other managers. An update without managedFields keeps them
 * all on the server.
 */
function withoutManagedFields<T extends KubernetesObject>(object: T): T {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
