import { isAlreadyExists, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import { IngressClass } from '@kubewright/apimachinery/networking/v1';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import type { KubernetesClient } from '@kubewright/client';

/** Name of the controller's service account in kube-system. */
const ingressName = 'ingress-controller';
/** Name of the controller in IngressClasses. */
export const ingressController: string = 'kubewright.dev/ingress';

const roleName = `kubewright:${ingressName}`;
const read = ['get', 'list', 'watch'];

const role = ClusterRole({
  metadata: { name: roleName },
  rules: [
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses', 'ingressclasses'], verbs: read },
    { apiGroups: ['networking.k8s.io'], resources: ['ingresses/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['secrets', 'services'], verbs: read },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch', 'update'] },
  ],
});

const binding = ClusterRoleBinding({
  metadata: { name: roleName },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
  subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: ingressName }],
});

const ingressClass = IngressClass({
  metadata: { name: 'kubewright', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
  spec: { controller: ingressController },
});

/** Creates the default IngressClass and the role of its controller. An existing class is left unchanged. */
export async function installIngress(client: KubernetesClient): Promise<void> {
  await Promise.all([createRole(), create(ClusterRoleBinding, binding), create(IngressClass, ingressClass)]);

  /** Creates the role, or updates its rules: a role created by an earlier version may lack some of them. */
  async function createRole(): Promise<void> {
    if (await create(ClusterRole, role)) return;
    await client.resource(ClusterRole).patch({ name: roleName }, { type: 'merge', body: { rules: role.rules } });
  }

  /** Creates an object. Returns false if it exists already. */
  async function create<T extends KubernetesObject>(kind: Kind<T>, object: T): Promise<boolean> {
    try {
      await client.resource(kind).create(object);
      return true;
    } catch (error) {
      // The object was kept from an earlier start and may have been changed.
      if (!isAlreadyExists(error)) throw error;
      return false;
    }
  }
}
