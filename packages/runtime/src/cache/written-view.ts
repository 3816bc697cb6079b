import { deepFreeze, type KubernetesObject } from '@kubewright/apimachinery';
import { DecodedView } from './decoded-view.ts';

/**
 * Sees an answer to a write as a cached object. What was answered belongs to the caller, who may go on to change it: it is
 * kept as it was, unless it cannot change.
 */
export function writtenView<T>(object: KubernetesObject): DecodedView<T> {
  const own = Object.isFrozen(object) && Object.isFrozen(object.metadata) ? object : copyOf(object);
  // The answer is typed by the kind it was asked of.
  return new DecodedView<T>(deepFreeze(own) as KubernetesObject & T);
}

function copyOf(object: KubernetesObject): KubernetesObject {
  return JSON.parse(JSON.stringify(object)) as KubernetesObject;
}
