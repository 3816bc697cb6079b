import { Quantity } from '@kubewright/apimachinery';
import type { ObservedCluster } from './observed-cluster.ts';

/**
 * Returns the instances whose claims must grow. Does not depend on reports of instances, because a full disk must be able to grow.
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
