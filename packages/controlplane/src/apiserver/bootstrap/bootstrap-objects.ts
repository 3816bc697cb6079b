import type { KubernetesObject } from '@kubewright/apimachinery';
import { bootstrapObjectsJson } from './generated/bootstrap-objects.ts';

/** Every cluster's first namespaces. */
const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/**
 * What an API server makes for itself at its first start and misses nothing of at later ones: namespaces, roles and
 * bindings, priority classes, flow schemas. Namespaces come first, for some of the others live in them.
 */
export function bootstrapObjects(): readonly KubernetesObject[] {
  const recorded = JSON.parse(bootstrapObjectsJson) as readonly KubernetesObject[];
  const made = namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  return [...made, ...recorded];
}
