import { FieldSet, type PathElement } from '@kubewright/apimachinery/internal';
import { decodeManagers, encodeManagers, type ManagedFieldsRecord, type Managers } from './managers.ts';

/** The path of the replicas in each version of a kind: `{ 'apps/v1': ['f:spec', 'f:replicas'] }`. */
export type ReplicasPaths = Readonly<Record<string, readonly PathElement[]>>;

const scaleVersion = 'autoscaling/v1';
const scaleReplicas: readonly PathElement[] = ['f:spec', 'f:replicas'];

/**
 * Returns the managed fields of an object's `scale` subresource: the object's entries that own the replicas, as entries of
 * autoscaling/v1 (apimachinery 1.36, `scalehandler.go`).
 */
export function entriesOfScale(entries: readonly unknown[], paths: ReplicasPaths): readonly ManagedFieldsRecord[] {
  const scale: Managers = new Map();
  for (const [id, manager] of decodeManagers(entries) ?? []) {
    const path = paths[manager.apiVersion];
    if (path === undefined || !manager.set.has(path)) continue;
    scale.set(id, { ...manager, apiVersion: scaleVersion, set: FieldSet.of(scaleReplicas) });
  }
  return encodeManagers(scale);
}

/**
 * Returns an object's entries after a write to its `scale` subresource: a manager that no longer owns the Scale's replicas loses
 * the object's replicas, and a manager that gained them gets an entry.
 */
export function entriesAfterScale(
  parent: readonly unknown[],
  scale: readonly unknown[],
  { paths, apiVersion }: { readonly paths: ReplicasPaths; readonly apiVersion: string },
): readonly ManagedFieldsRecord[] {
  const before = decodeManagers(parent) ?? new Map();
  const winners: Managers = decodeManagers(scale) ?? new Map();
  const after: Managers = new Map();
  // An updater's identity includes the API version, which differs between the object and the Scale, so identities are not
  // compared.
  const unclaimed = new Map(winners);
  for (const [id, manager] of before as Managers) {
    const path = paths[manager.apiVersion];
    if (!Object.hasOwn(paths, manager.apiVersion)) continue;
    if (path === undefined || !manager.set.has(path)) {
      after.set(id, manager);
      continue;
    }
    const claim = [...unclaimed].find(([, winner]) => sameManager(winner, manager));
    if (claim !== undefined) {
      after.set(id, manager);
      unclaimed.delete(claim[0]);
      continue;
    }
    const set = manager.set.difference(FieldSet.of(path));
    if (!set.isEmpty) after.set(id, { ...manager, set });
  }
  const path = paths[apiVersion];
  for (const [id, manager] of unclaimed) {
    if (path === undefined || !manager.set.has(scaleReplicas)) continue;
    after.set(id, { ...manager, apiVersion, set: FieldSet.of(path) });
  }
  return encodeManagers(after);
}

function sameManager(
  a: { readonly manager: string; readonly operation: string; readonly subresource: string },
  b: { readonly manager: string; readonly operation: string; readonly subresource: string },
): boolean {
  return a.manager === b.manager && a.operation === b.operation && a.subresource === b.subresource;
}
