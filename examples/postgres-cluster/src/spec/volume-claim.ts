import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';

/**
 * Label on the claims of removed instances, which are not reused. `true`: the claim is kept. `deleting`: the claim is deleted
 * once no quorum names the instance; until then, the volume may have a commit that no other replica has.
 */
export const removedLabel = 'database.db.example.com/removed';

/** Returns the volume claim for an instance's data directory. */
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
