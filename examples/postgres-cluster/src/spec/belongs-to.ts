import { controllerOf, isControlledBy, type KubernetesObject } from '@kubewright/apimachinery';
import { clusterLabel } from '../instance/protocol.ts';

/**
 * Returns true if an object belongs to a cluster. Either the cluster controls it, or it has the cluster's label and no
 * controller, like a retained volume or an object that was restored or orphaned. A matching name is not enough.
 */
export function belongsTo(object: KubernetesObject, cluster: KubernetesObject): boolean {
  if (controllerOf(object)) return isControlledBy(object, cluster);
  return object.metadata.labels?.[clusterLabel] === cluster.metadata.name;
}
