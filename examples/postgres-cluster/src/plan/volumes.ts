import { Quantity } from '@kubewright/apimachinery';
import type { ObservedCluster } from './observed-cluster.ts';

/** Returns the instances whose claims lack the ID under which the cluster archives WAL. */
export function claimsToMark({
  members,
  archiveOwner,
}: Pick<ObservedCluster, 'members' | 'archiveOwner'>): readonly string[] {
  return members
    .filter(({ claim }) => claim && !claim.isDeleting && claim.archiveOwner !== archiveOwner)
    .map(({ name }) => name);
}

/**
 * Returns the instances whose claims must grow. Ignores the instances' reports, so that a volume can grow even if its server is
 * down because the disk is full.
 */
export function claimsToGrow({
  members,
  storageSize,
}: Pick<ObservedCluster, 'members' | 'storageSize'>): readonly string[] {
  const wanted = Quantity.parse(storageSize);
  return members
    .filter(({ claim }) => claim && !claim.isDeleting && Quantity.parse(claim.size).compare(wanted) < 0)
    .map(({ name }) => name);
}
