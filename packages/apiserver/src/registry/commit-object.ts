import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ManagedFieldsEntry } from '@kubewright/apimachinery/meta/v1';
import { CommitTooLargeError, type StoredObject } from '../storage/index.ts';
import { claimWrites } from './claims.ts';
import type { Registry } from './registry.ts';
import type { Draft } from './strategy.ts';

/**
 * Stores an object. One that is too large is stored without its managed fields if it fits then, as upstream does: they can be
 * larger than the object itself. Objects with fields owned by server-side apply keep them, and are rejected.
 *
 * @throws CommitTooLargeError, and whatever the storage throws.
 */
export async function commitObject(
  registry: Registry,
  object: Draft,
  at: { readonly key: string; readonly expected: number; readonly before?: KubernetesObject | undefined },
): Promise<StoredObject> {
  const { form, definition, services } = registry;
  const { ttlSeconds } = definition;
  const { key, expected, before } = at;
  const after = object as unknown as KubernetesObject; // the draft is complete
  const claims = definition.claims ? await claimWrites(registry, { key, before, after }) : [];
  const commit = async (draft: Draft): Promise<StoredObject> => {
    const write = { key, expected, bytes: form.encode(draft), ttlSeconds };
    const { objects } = await services.storage.commit([write, ...claims]);
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
