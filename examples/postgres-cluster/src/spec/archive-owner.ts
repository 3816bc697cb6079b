import type { Stored } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';

/**
 * Annotation on claims with the ID under which their cluster archives WAL. A cluster that is created again with retained
 * volumes reads the ID there and continues the archive. A clone of a volume does not have the annotation, so the clone's
 * cluster gets another ID, and cannot write to the archive of the original.
 */
export const archiveOwnerAnnotation = 'database.db.example.com/archive-owner';

/** Returns the ID under which a cluster archives WAL: that of its volumes, or of a new cluster, its UID. */
export function archiveOwnerOf(
  { metadata, status }: Stored<PostgresCluster>,
  claims: readonly Stored<PersistentVolumeClaim>[],
): string {
  const owners = claims.flatMap((claim) => claim.metadata.annotations?.[archiveOwnerAnnotation] ?? []);
  return status?.archiveOwner ?? owners[0] ?? metadata.uid;
}
