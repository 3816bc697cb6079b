import { ConfigMap, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** Makes what controllers make in a namespace that pods can run in. */
export async function makeReady(admin: KubernetesClient, namespace: string): Promise<void> {
  await admin
    .resource(ServiceAccount)
    .create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
  await admin.resource(ConfigMap).create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace },
    data: { 'ca.crt': 'no real authority' },
  });
}
