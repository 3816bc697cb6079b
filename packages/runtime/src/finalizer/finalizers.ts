import {
  deepFreeze,
  isNotFound,
  type Kind,
  type KubernetesObject,
  objectKey,
  type Stored,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';

/** How an object's finalizers are changed. */
export interface FinalizerPatchOptions {
  readonly client: KubernetesClient;
  readonly kind: Kind<KubernetesObject>;
  readonly signal?: AbortSignal;
}

/** True if the object carries the finalizer. */
export function hasFinalizer(object: KubernetesObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/**
 * Puts finalizers on an object that is not being deleted; answers it as it is then. The list is written as a whole, so the
 * object must still be the version that was read.
 *
 * @throws StatusError with reason `Conflict` when it has changed: read it again and retry.
 */
export async function addFinalizers(
  object: Stored<KubernetesObject>,
  options: FinalizerPatchOptions & { readonly names: readonly string[] },
): Promise<Stored<KubernetesObject>> {
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), ...options.names])];
  return patchFinalizers(object, { ...options, finalizers });
}

/** Takes a finalizer off an object; answers it as it is then. If it is gone already, that is what was wanted. */
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
  // The uid keeps the patch off another object of the same name, the version off a list that somebody else changed.
  const body = { metadata: { uid, resourceVersion, finalizers } };
  return deepFreeze(await client.resource(kind).patch(objectKey(object), { type: 'merge', body }, { signal }));
}
