import type { ManagedFieldsEntry } from '@kubewright/apimachinery/meta/v1';
import { CommitTooLargeError, type StoredObject } from '../storage/storage.ts';
import type { Registry } from './registry.ts';
import type { Draft } from './strategy.ts';

/**
 * Stores an object. One that is too large is stored without its managed fields if it fits then, as upstream does: they can be
 * larger than the object itself. Objects with fields owned by server-side apply keep them, and are refused.
 *
 * @throws CommitTooLargeError, and whatever the storage throws.
 */
export async function commitObject(
  { form, services: { storage } }: Registry,
  object: Draft,
  at: { readonly key: string; readonly expected: number },
): Promise<StoredObject> {
  const commit = async (draft: Draft): Promise<StoredObject> => {
    const { objects } = await storage.commit([{ ...at, encode: (revision) => form.encode(draft, revision) }]);
    return objects[0] as StoredObject; // one write that is not a delete returns one object
  };
  try {
    return await commit(object);
  } catch (error) {
    const { managedFields, ...metadata } = object.metadata;
    const entries = (managedFields ?? []) as readonly ManagedFieldsEntry[]; // written by the field manager before
    const isApplied = entries.some(({ operation }) => operation === 'Apply');
    if (!(error instanceof CommitTooLargeError) || entries.length === 0 || isApplied) throw error;
    return commit({ ...object, metadata });
  }
}
