import { isAlreadyExists, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import type { KubernetesClient } from '@kubewright/client';
import { storageNames } from '../volumes/storage-names.ts';
import { provisionerName } from './local-volume.ts';

/** The name of the provisioner's service account in kube-system. */
const provisionerAccount = 'local-volume-provisioner';

const roleName = `kubewright:${provisionerAccount}`;
const read = ['get', 'list', 'watch'];

const role = ClusterRole({
  metadata: { name: roleName },
  rules: [
    { apiGroups: [''], resources: ['persistentvolumes'], verbs: [...read, 'create', 'update', 'delete'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: [...read, 'update'] },
    { apiGroups: [''], resources: ['persistentvolumeclaims/status'], verbs: ['update'] },
    { apiGroups: [''], resources: ['nodes'], verbs: read },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  ],
});

const binding = ClusterRoleBinding({
  metadata: { name: roleName },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
  subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: provisionerAccount }],
});

const standard = StorageClass({
  metadata: { name: 'standard', annotations: { [storageNames.defaultClass]: 'true' } },
  provisioner: provisionerName,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowVolumeExpansion: true,
});

/** Creates the default storage class, and the role and role binding of its provisioner. Keeps existing objects unchanged. */
export async function installLocalVolumes(client: KubernetesClient): Promise<void> {
  await Promise.all([create(ClusterRole, role), create(ClusterRoleBinding, binding), create(StorageClass, standard)]);

  async function create<T extends KubernetesObject>(kind: Kind<T>, object: T): Promise<void> {
    try {
      await client.resource(kind).create(object);
    } catch (error) {
      // An earlier start created the object, and the user may have changed it.
      if (!isAlreadyExists(error)) throw error;
    }
  }
}
