import type { KubernetesObject } from '@kubewright/apimachinery';
import type { ManagedFieldsEntry } from '@kubewright/apimachinery/meta/v1';
import { CommitTooLargeError, type StoredObject } from '../storage/index.ts';
import { claimWrites } from './claims.ts';
import type { Registry } from './registry.ts';
import type { Draft } from './strategy.ts';

/**
 * Stores an object. If the object is too large, stores it without its managed fields, as upstream does: the managed
 * fields can be larger than the rest of the object. An object with fields owned by server-side apply is rejected
 * instead.
 *
 * @throws CommitTooLargeError, and other errors of the storage.
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
    const entries = (managedFields ?? []) as readonly ManagedFieldsEntry[]; // written by FieldOwnership
    const isApplied = entries.some(({ operation }) => operation === 'Apply');
    if (!(error instanceof CommitTooLargeError) || entries.length === 0 || isApplied) throw error;
    return commit({ ...object, metadata });
  }
}
