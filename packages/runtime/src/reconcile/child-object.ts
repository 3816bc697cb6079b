import { type Kind, type KubernetesObject, setControllerReference, setOwnerReference } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { ApplyObjectsOptions } from './reconcile.ts';

/** Returns the object in the namespace of the reconciled object, if it is namespaced and names no namespace. */
export function placedObject(
  object: KubernetesObject,
  kind: Kind<KubernetesObject>,
  { namespace }: ReconcileRequest,
): KubernetesObject {
  if (kind.scope === 'Cluster' || object.metadata.namespace !== undefined || namespace === undefined) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Returns the object with a reference to its owner, unless the object is the owner. */
export function ownedObject(
  object: KubernetesObject,
  owner: KubernetesObject | undefined,
  { ownership = 'controller' }: ApplyObjectsOptions,
): KubernetesObject {
  if (!owner || ownership === 'none' || isSame(owner, object)) return object;
  return ownership === 'controller' ? setControllerReference(object, owner) : setOwnerReference(object, owner);
}

function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  return (
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.metadata.name === b.metadata.name &&
    a.metadata.namespace === b.metadata.namespace
  );
}

/** Returns the body of an apply: without fields that only the server sets, and with the object's UID if it is known. */
export function applyBody(
  object: KubernetesObject,
  uid: string | undefined,
): KubernetesObject & { metadata: { name: string } } {
  const {
    managedFields: _managedFields,
    resourceVersion: _resourceVersion,
    creationTimestamp: _creationTimestamp,
    generation: _generation,
    uid: given,
    name = '',
    ...metadata
  } = object.metadata;
  return { ...object, metadata: { ...metadata, name, ...defined({ uid: uid ?? given }) } };
}
