import type { KubernetesObject } from '@kubewright/apimachinery';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/** Every cluster's first namespaces. */
const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** The range that service addresses come from, as an object. */
const serviceCidr = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: ['10.96.0.0/16'] },
};

/**
 * What an API server makes for itself at its first start and misses nothing of at later ones: namespaces, roles and
 * bindings, priority classes, flow schemas, the range of service addresses. Namespaces come first, for some of the others live in them.
 */
export function bootstrapObjects(): readonly KubernetesObject[] {
  const recorded = JSON.parse(bootstrapObjectsJson) as readonly KubernetesObject[];
  const made = namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  return [...made, ...recorded, serviceCidr];
}
