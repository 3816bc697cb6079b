import { Quantity } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../../api/v1/postgres-cluster.ts';

/**
 * Returns the requested size of an instance's volume. The file system is not measured: on shared storage, its size can change all
 * the time, and so would the settings that depend on it.
 */
export function storageBytes(cluster: Pick<PostgresCluster, 'spec'> | undefined): number {
  return Quantity.parse(cluster?.spec.storage.size ?? '1Gi').toNumber();
}
