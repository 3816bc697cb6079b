import {
  formatObjectKey,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
} from '@kubewright/apimachinery';

/** Returns an id that distinguishes even kinds of the same name in different groups. */
export function idOf({ group, kind }: { readonly group: string; readonly kind: string }, key: ObjectKey): string {
  return `${kind}.${group} ${formatObjectKey(key)}`;
}

/** Returns the {@link idOf} of the object's kind and key. */
export function idOfObject(object: KubernetesObject): string {
  return idOf({ group: parseApiVersion(object.apiVersion).group, kind: object.kind }, objectKey(object));
}
