import { Quantity } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';

/** True if a bound claim requests more storage than it has. */
export function needsExpansion(claim: PersistentVolumeClaim): boolean {
  const { phase, capacity } = claim.status ?? {};
  const size = Quantity.tryParse(capacity?.['storage']) ?? Quantity.zero;
  return phase === 'Bound' && requestOf(claim).compare(size) > 0;
}

/** Returns the size that a claim requests. */
export function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  return Quantity.tryParse(spec?.resources?.requests?.['storage']) ?? Quantity.zero;
}
