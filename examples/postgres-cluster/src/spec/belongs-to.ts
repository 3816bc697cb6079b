import { controllerOf, isControlledBy, type KubernetesObject } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/**
 * True for the objects of a cluster: those that it controls, and those that have its label and no controller. The latter are
 * retained volumes, and objects that were restored or orphaned. A name alone proves nothing.
 */
export function belongsTo(object: KubernetesObject, cluster: KubernetesObject): boolean {
  if (controllerOf(object)) return isControlledBy(object, cluster);
  return object.metadata.labels?.[clusterLabel] === cluster.metadata.name;
}
