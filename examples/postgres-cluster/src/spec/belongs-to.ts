import { controllerOf, isControlledBy, type KubernetesObject } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/**
 * True if an object belongs to a cluster: the cluster controls it, or it has no controller and the cluster's label, such as a
 * retained volume, or an object that was restored or orphaned. The name alone does not count.
 */
export function belongsTo(object: KubernetesObject, cluster: KubernetesObject): boolean {
  if (controllerOf(object)) return isControlledBy(object, cluster);
  return object.metadata.labels?.[clusterLabel] === cluster.metadata.name;
}
