import type { ObjectKey, Stored } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';

const provisioner = 'fake.kubewright.dev';

/** Creates a volume for a claim and binds both, like a provisioner together with the volume binder. */
export async function bindClaim(client: KubernetesClient, key: ObjectKey): Promise<Stored<PersistentVolumeClaim>> {
  const claims = client.resource(PersistentVolumeClaim);
  const claim = await claims.get(key);
  if (claim.status?.phase === 'Bound') return claim;
  const { uid, name, namespace } = claim.metadata;
  const { accessModes = [], resources, storageClassName, volumeMode } = claim.spec ?? {};
  const capacity = { storage: resources?.requests?.['storage'] ?? '1Gi' };
  const volumes = client.resource(PersistentVolume);
  const volume = await volumes.create(
    PersistentVolume({
      metadata: { name: `pvc-${uid}`, annotations: { 'pv.kubernetes.io/provisioned-by': provisioner } },
      spec: {
        capacity,
        accessModes,
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
        csi: { driver: provisioner, volumeHandle: uid },
        persistentVolumeReclaimPolicy: 'Delete',
        ...defined({ storageClassName, volumeMode }),
      },
    }),
  );
  const { name: volumeName } = volume.metadata;
  // Use patches, because controllers also write to both objects.
  await volumes.status.patch({ name: volumeName }, { type: 'merge', body: { status: { phase: 'Bound' } } });
  const body = {
    metadata: {
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
    },
    spec: { volumeName },
  };
  await claims.patch(key, { type: 'merge', body });
  return claims.status.patch(key, { type: 'merge', body: { status: { phase: 'Bound', accessModes, capacity } } });
}
