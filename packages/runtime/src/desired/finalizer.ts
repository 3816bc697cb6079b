import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { ReconcileContext, ReconcileOutcome } from '../reconcile/reconcile.ts';
import type { DesiredState } from './desired-state.ts';

/**
 * Cleans up resources that the garbage collector does not know about; the finalizer is removed once the cleanup is done.
 *
 * If the function returns nothing, the cleanup is done. If it returns a requeue, it is called again. If it returns a
 * desired state, the framework applies it as for `desired`: it applies the listed children, deletes the others, and
 * writes the status. With `finalized: false`, the function is then called again; with `finalized: true`, the finalizer
 * is removed. The removal does not wait for children that are themselves waiting, but a requested requeue delays it.
 *
 * In a foreground deletion, the garbage collector deletes the children of an object before the object, including children that a
 * finalizer creates.
 *
 * @example
 * ```ts
 * const deleteBucket: Finalizer<Bucket> = async ({ metadata }, { signal }) => {
 *   await cloud.deleteBucket(metadata.name, { signal });
 * };
 * const backUpFirst: Finalizer<Database> = async (database, { observed }) => ({
 *   children: [serverOf(database), backupJobOf(database)],
 *   finalized: isComplete(observed.get(Job, `${database.metadata.name}-backup`)),
 * });
 * const buckets = controller({ for: Bucket, finalizers: { 'example.com/bucket': deleteBucket }, reconcile: createBucket });
 * ```
 */
export type Finalizer<T extends KubernetesObject> = (
  object: Stored<T>,
  context: ReconcileContext<T>,
) => Promise<ReconcileOutcome | (DesiredState<T> & { readonly finalized: boolean })>;
