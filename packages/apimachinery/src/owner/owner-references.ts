import { KubewrightError } from '../errors/kubewright-error.ts';
import { defined } from '../json/defined.ts';
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '../object/kinds.ts';
import type { KubernetesObject, OwnerReference } from '../object/kubernetes-object.ts';
import { quote } from '../text/quote.ts';

/**
 * Thrown when an owner reference cannot be set.
 *
 * @example
 * ```ts
 * try {
 *   setControllerReference(pod, database);
 * } catch (error) {
 *   if (!(error instanceof KubewrightError) || error.code !== 'KW1040') throw error;
 *   throw new TerminalError('another object controls the pod', { cause: error });
 * }
 * ```
 */
class OwnershipError extends KubewrightError {
  override readonly name = 'OwnershipError';
  readonly code = 'KW1040';
}

/** Options for {@link setOwnerReference} and {@link setControllerReference}. */
export interface OwnerReferenceOptions {
  /** Type of the owner, for owners without `apiVersion` and `kind`. @defaultValue the owner's apiVersion and kind */
  readonly gvk?: GroupVersionKind;
  /** Foreground deletion of the owner waits for this child. @defaultValue true for controllers, otherwise absent */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * Returns the child with an owner reference, so that it is deleted with its owner. Replaces an earlier reference to the same
 * owner (same group, kind and name) and updates its UID. Mirrors `controllerutil.SetOwnerReference`.
 *
 * @throws {@link OwnershipError} if the owner is in another namespace, or the child is cluster-scoped and the owner is not: the
 * garbage collector would delete such a child immediately.
 *
 * @example
 * ```ts
 * const owned = setOwnerReference(pod, database);
 * ```
 */
export function setOwnerReference<T extends KubernetesObject>(
  child: T,
  owner: KubernetesObject,
  options: OwnerReferenceOptions = {},
): T {
  return withReference(child, referenceTo({ child, owner, options }, {}));
}

/**
 * Returns the child with a reference to its controller, the one owner that manages it. Mirrors
 * `controllerutil.SetControllerReference`.
 *
 * @throws {@link OwnershipError} if another object already controls the child, or for the reasons in {@link setOwnerReference}.
 *
 * @example
 * ```ts
 * const owned = setControllerReference(pod, database);
 * ```
 */
export function setControllerReference<T extends KubernetesObject>(
  child: T,
  owner: KubernetesObject,
  options: OwnerReferenceOptions = {},
): T {
  const { blockOwnerDeletion = true } = options;
  const reference = referenceTo({ child, owner, options }, { controller: true, blockOwnerDeletion });
  const other = controllerOf(child);
  if (other !== undefined && !sameOwner(other, reference)) {
    throw new OwnershipError({
      what: `${describe(owner)} cannot control ${describe(child)}`,
      why: `${describe(child)} is already controlled by ${other.kind} ${quote(other.name)}`,
      remedy: `remove the owner reference to ${other.kind} ${quote(other.name)} first, or use setOwnerReference`,
    });
  }
  return withReference(child, reference);
}

/**
 * Returns the child without its references to an owner; the same object if it has none.
 *
 * @example
 * ```ts
 * const released = removeOwnerReference(pod, database);
 * ```
 */
export function removeOwnerReference<T extends KubernetesObject>(child: T, owner: KubernetesObject): T {
  const references = child.metadata.ownerReferences ?? [];
  const left = references.filter((reference) => reference.uid !== owner.metadata.uid && !refersTo(reference, owner));
  return left.length === references.length ? child : withReferences(child, left);
}

/**
 * Returns the owner reference to the object's controller, or undefined.
 *
 * @example
 * ```ts
 * const owner = controllerOf(pod)?.name;
 * ```
 */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/**
 * True if the object is controlled by exactly this owner. Compares the UID, because a name can be reused.
 *
 * @example
 * ```ts
 * if (isControlledBy(pod, database)) await client.resource(Pod).delete(pod.metadata);
 * ```
 */
export function isControlledBy(object: KubernetesObject, owner: KubernetesObject): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && controllerOf(object)?.uid === uid;
}

interface ReferenceParts {
  readonly child: KubernetesObject;
  readonly owner: KubernetesObject;
  readonly options: OwnerReferenceOptions;
}

function referenceTo(
  { child, owner, options }: ReferenceParts,
  flags: Pick<OwnerReference, 'controller' | 'blockOwnerDeletion'>,
): OwnerReference {
  checkScopes(child, owner);
  const { gvk, blockOwnerDeletion } = options;
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new OwnershipError({
      what: `${describe(owner)} cannot own ${describe(child)}`,
      why: 'the owner has no name or UID',
      remedy: 'create the owner first, and pass the object that the API server returns',
    });
  }
  return {
    apiVersion: gvk === undefined ? owner.apiVersion : apiVersionOf(gvk),
    kind: gvk?.kind ?? owner.kind,
    name,
    uid,
    ...defined({ blockOwnerDeletion }),
    ...flags,
  };
}

function checkScopes(child: KubernetesObject, owner: KubernetesObject): void {
  const inside = owner.metadata.namespace ?? '';
  const own = child.metadata.namespace ?? '';
  if (inside === '') return;
  if (own === '') {
    throw new OwnershipError({
      what: `${describe(owner)} cannot own ${describe(child)}`,
      why: 'a cluster-scoped object must not have a namespaced owner',
    });
  }
  if (own !== inside) {
    throw new OwnershipError({
      what: `${describe(owner)} in namespace ${quote(inside)} cannot own ${describe(child)} in namespace ${quote(own)}`,
      why: 'an owner must be in the same namespace or cluster-scoped',
    });
  }
}

function withReference<T extends KubernetesObject>(child: T, reference: OwnerReference): T {
  const references = child.metadata.ownerReferences ?? [];
  const at = references.findIndex((candidate) => sameOwner(candidate, reference));
  if (at < 0) return withReferences(child, [...references, reference]);
  return withReferences(
    child,
    references.map((candidate, index) => (index === at ? reference : candidate)),
  );
}

function withReferences<T extends KubernetesObject>(child: T, references: readonly OwnerReference[]): T {
  return { ...child, metadata: { ...child.metadata, ownerReferences: references } };
}

/** Compares the group but not the version, because an object can be served in several versions. */
function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.name === b.name && a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}

function refersTo(reference: OwnerReference, owner: KubernetesObject): boolean {
  return (
    reference.name === owner.metadata.name &&
    reference.kind === owner.kind &&
    groupOf(reference.apiVersion) === groupOf(owner.apiVersion)
  );
}

function groupOf(apiVersion: string): string {
  return parseApiVersion(apiVersion).group;
}

function describe(object: KubernetesObject): string {
  return `${object.kind} ${quote(object.metadata.name ?? object.metadata.generateName ?? '')}`;
}
