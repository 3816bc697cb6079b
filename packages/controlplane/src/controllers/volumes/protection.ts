import { isDeleting, type KubernetesObject } from '@kubewright/apimachinery';
import { type ObjectWrite, updateObject, type WriteContext } from '../object-writes.ts';

/** An object protected by a finalizer, and the condition for removing the finalizer. */
export interface Protection<T extends KubernetesObject> extends ObjectWrite<T> {
  readonly finalizer: string;
  /** Returns true if nothing uses the object. Called only while the object is being deleted. */
  isUnused(): Promise<boolean> | boolean;
}

/** Adds the finalizer to an object. Once the object is being deleted and unused, removes the finalizer. */
export async function protectUntil<T extends KubernetesObject>(
  ctx: WriteContext,
  { kind, object, finalizer, isUnused }: Protection<T>,
): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  const has = finalizers.includes(finalizer);
  if (isDeleting(object)) {
    if (!has || !(await isUnused())) return;
    const others = finalizers.filter((name) => name !== finalizer);
    await updateObject(ctx, { kind, object: { ...object, metadata: { ...object.metadata, finalizers: others } } });
  } else if (!has) {
    const all = [...finalizers, finalizer];
    await updateObject(ctx, { kind, object: { ...object, metadata: { ...object.metadata, finalizers: all } } });
  }
}
