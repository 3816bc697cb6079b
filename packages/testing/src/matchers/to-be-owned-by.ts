import type { KubernetesObject, OwnerReference } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { fail, titleOf } from './matcher.ts';

/**
 * Matches objects that an owner controls, by kind, name and, if the owner has one, UID.
 *
 * @param options - `controller`: false to accept owners that are not the controller. @defaultValue true
 * @throws AssertionError with the owners that the object has
 *
 * @example
 * ```ts
 * await eventually(() => client.resource(ConfigMap).get({ name: 'settings' }), toBeOwnedBy(deployment));
 * ```
 */
export function toBeOwnedBy<T extends KubernetesObject>(
  owner: KubernetesObject,
  options: { readonly controller?: boolean } = {},
): (object: T) => void {
  const { controller = true } = options;
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  const expected = { apiVersion, kind, name, ...defined({ uid }), ...(controller && { controller }) };
  const isOwner = (reference: OwnerReference): boolean =>
    reference.kind === kind &&
    reference.apiVersion === apiVersion &&
    reference.name === name &&
    (uid === undefined || reference.uid === uid) &&
    (!controller || reference.controller === true);
  return (object) => {
    const owners = object.metadata.ownerReferences ?? [];
    if (!owners.some(isOwner))
      fail(`${titleOf(object)} is not owned by ${titleOf(owner)}`, { expected: [expected], actual: owners });
  };
}
