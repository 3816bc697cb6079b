import { Quantity } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';

/**
 * Returns the requested size of an instance's volume. The file system is not measured: on shared storage, its size can
 * change at any time, and the settings that depend on it would change, too.
 */
export function storageBytes(cluster: Pick<PostgresCluster, 'spec'> | undefined): number {
  return Quantity.parse(cluster?.spec.storage.size ?? '1Gi').toNumber();
}
