import type { KubernetesObject } from '@kubewright/apimachinery';
import { deepFreeze, parseExactJson, stringifyJson } from '@kubewright/apimachinery/internal';
import { DecodedView } from './decoded-view.ts';

/**
 * Wraps a write's response as a cached object. The response belongs to the caller, who may modify it, so it is copied unless
 * frozen.
 */
export function writtenView<T>(object: KubernetesObject): DecodedView<T> {
  const own = Object.isFrozen(object) && Object.isFrozen(object.metadata) ? object : copyOf(object);
  // The response has the type of the requested kind.
  return new DecodedView<T>(deepFreeze(own) as KubernetesObject & T);
}

function copyOf(object: KubernetesObject): KubernetesObject {
  return parseExactJson(stringifyJson(object)) as KubernetesObject;
}
