import { type KubernetesObject, notFound } from '@kubewright/apimachinery';
import type { ReadObject } from '@kubewright/apiserver/internal';

/** Reads a core/v1 object. @throws StatusError 404 if it does not exist */
export async function readExisting<T extends KubernetesObject>(
  read: ReadObject,
  location: { readonly resource: string; readonly namespace: string; readonly name: string },
): Promise<T> {
  const object = await read({ group: '', ...location });
  if (object === undefined) throw notFound({ group: '', resource: location.resource }, location.name);
  return object as T;
}
