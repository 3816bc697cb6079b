import { isNotFound, type Kind, type KubernetesObject, objectKey, type Stored } from '@kubewright/apimachinery';
import { deepFreeze } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

/** Options for changing an object's finalizers. */
export interface FinalizerPatchOptions {
  readonly client: KubernetesClient;
  readonly kind: Kind<KubernetesObject>;
  readonly signal?: AbortSignal;
}

/**
 * Reports whether the object has the finalizer.
 *
 * @example
 * ```ts
 * const name = 'db.example.com/backup';
 * if (!hasFinalizer(database, name)) await addFinalizers(database, { client, kind: Database, names: [name] });
 * ```
 */
export function hasFinalizer(object: KubernetesObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/**
 * Adds finalizers to an object that is not being deleted; returns the updated object. The list is written as a whole, so the
 * object must still have the version that was read.
 *
 * @throws StatusError with reason `Conflict` when the object has changed: read it again and retry.
 */
export async function addFinalizers(
  object: Stored<KubernetesObject>,
  options: FinalizerPatchOptions & { readonly names: readonly string[] },
): Promise<Stored<KubernetesObject>> {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), ...options.names])];
  return patchFinalizers(object, { ...options, finalizers });
}

/**
 * Removes a finalizer from an object; returns the updated object. Succeeds if the object no longer exists.
 *
 * @example
 * ```ts
 * if (isDeleting(bucket)) {
 *   await cloud.deleteBucket(bucket.spec.name);
 *   await removeFinalizer(bucket, { client, kind: Bucket, name: 'example.com/bucket' });
 * }
 * ```
 */
export async function removeFinalizer(
  object: Stored<KubernetesObject>,
  options: FinalizerPatchOptions & { readonly name: string },
): Promise<Stored<KubernetesObject>> {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== options.name);
  try {
    return await patchFinalizers(object, { ...options, finalizers });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { ...object, metadata: { ...object.metadata, finalizers } };
  }
}

async function patchFinalizers(
  object: Stored<KubernetesObject>,
  options: FinalizerPatchOptions & { readonly finalizers: readonly string[] },
): Promise<Stored<KubernetesObject>> {
  const { client, kind, finalizers, signal } = options;
  const { uid, resourceVersion } = object.metadata;
  // The UID keeps the patch from changing another object of the same name; the version keeps the patch from overwriting
  // another client's changes.
  const body = { metadata: { uid, resourceVersion, finalizers } };
  return deepFreeze(await client.resource(kind).patch(objectKey(object), { type: 'merge', body }, { signal }));
}
