import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, type PersistentVolumeClaimSpec } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import { archiveOwnerAnnotation } from './archive-owner.ts';

/**
 * Label on the claims of removed instances, which are not reused. `true`: the claim is kept. `deleting`: the claim is
 * deleted once no quorum names the instance; before that, the volume may have a commit that no other replica has.
 */
export const removedLabel = 'database.db.example.com/removed';

/** Returns the volume claim for an instance's data directory. */
export function volumeClaimFor(
  cluster: Stored<PostgresCluster>,
  { instance, archiveOwner }: { readonly instance: string; readonly archiveOwner: string },
): PersistentVolumeClaim {
  const labels = { [clusterLabel]: cluster.metadata.name };
  const annotations = { [archiveOwnerAnnotation]: archiveOwner };
  return PersistentVolumeClaim({
    metadata: { name: instance, labels, annotations },
    spec: volumeClaimSpec(cluster),
  });
}

/** Returns the spec of a claim for one copy of the cluster's data. */
export function volumeClaimSpec({ spec }: Stored<PostgresCluster>): PersistentVolumeClaimSpec {
  const { size = '1Gi', storageClassName } = spec.storage;
  return {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: size } },
    ...(storageClassName !== undefined && { storageClassName }),
  };
}
