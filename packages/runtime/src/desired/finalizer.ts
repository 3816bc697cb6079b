import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { ReconcileContext, ReconcileOutcome } from '../reconcile/reconcile.ts';
import type { DesiredState } from './desired-state.ts';

/**
 * Cleans up what the garbage collector does not know about; the finalizer is removed once that is done.
 *
 * A finalizer is done if it returns nothing. One that returns a requeue is called again, and so is one that returns a desired state
 * with `finalized: false`: its children are applied, those that it no longer lists are deleted, and its status is written, as for
 * `desired`. With `finalized: true`, this happens for the last time before the finalizer is removed. Children that wait for others
 * are not waited for; a requested requeue delays the removal.
 *
 * In a foreground deletion, the garbage collector deletes the children of an object before the object, also those that a
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
