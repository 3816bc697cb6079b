import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';

/**
 * The label of claims whose instance was removed. They are not used again: `true` means that they are kept, `deleting` that they are
 * deleted as soon as no quorum names the instance, which may have the only replica of a commit until then.
 */
export const removedLabel = 'database.db.example.com/removed';

/** Returns the claim with the data directory of an instance. */
export function volumeClaimFor({ metadata, spec }: Stored<PostgresCluster>, instance: string): PersistentVolumeClaim {
  const { size = '1Gi', storageClassName } = spec.storage;
  return PersistentVolumeClaim({
    metadata: { name: instance, labels: { [clusterLabel]: metadata.name } },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: size } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  });
}
