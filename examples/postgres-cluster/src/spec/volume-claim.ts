import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';

/** The label of claims that are kept after their instance was removed. They are not used again. */
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
