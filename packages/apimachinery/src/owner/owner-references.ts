import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '../object/kinds.ts';
import type { KubernetesObject, OwnerReference } from '../object/kubernetes-object.ts';
import { quote } from '../text/index.ts';

/** An object cannot be owned as asked. */
export class OwnershipError extends Error {
  readonly code = 'KW1040';

  constructor(message: string) {
    super(message);
    this.name = 'OwnershipError';
  }
}

/** Options of {@link setOwnerReference} and {@link setControllerReference}. */
export interface OwnerReferenceOptions {
  /** Type of the owner, where the object itself does not carry it. @defaultValue the owner's apiVersion and kind */
  readonly gvk?: GroupVersionKind;
  /** Deleting the owner in the foreground waits for this child. @defaultValue true for controllers, else absent */
  readonly blockOwnerDeletion?: boolean;
}

/**
 * The child with its owner noted, so that it is deleted with it. An earlier reference to the same owner (group, kind
 * and name; the uid is brought up to date) is replaced. Mirrors `controllerutil.SetOwnerReference`.
 *
 * @throws {@link OwnershipError} when the scopes forbid it: the garbage collector would delete such a child at once.
 */
export function setOwnerReference<T extends KubernetesObject>(
  child: T,
  owner: KubernetesObject,
  options: OwnerReferenceOptions = {},
): T {
  return withReference(child, referenceTo({ child, owner, options }, {}));
}

/**
 * The child with its controller noted: the one owner that manages it. Mirrors `controllerutil.SetControllerReference`.
 *
 * @throws {@link OwnershipError} when another object controls the child already, or the scopes forbid it.
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
    throw new OwnershipError(
      `${describe(child)} is already controlled by ${other.kind} ${quote(other.name)}; ` +
        `${describe(owner)} cannot control it, too: delete that reference first or use setOwnerReference`,
    );
  }
  return withReference(child, reference);
}

/** The child without any reference to that owner; the same object when there is none. */
export function removeOwnerReference<T extends KubernetesObject>(child: T, owner: KubernetesObject): T {
  const references = child.metadata.ownerReferences ?? [];
  const left = references.filter((reference) => reference.uid !== owner.metadata.uid && !refersTo(reference, owner));
  return left.length === references.length ? child : withReferences(child, left);
}

/** The reference to the object that controls this one. */
export function controllerOf(object: KubernetesObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** True if the object is controlled by exactly this owner: by uid, for a name may be used again. */
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
    throw new OwnershipError(`${describe(owner)} has no name or uid yet: create it before it owns ${describe(child)}`);
  }
  return {
    apiVersion: gvk === undefined ? owner.apiVersion : apiVersionOf(gvk),
    kind: gvk?.kind ?? owner.kind,
    name,
    uid,
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
    ...flags,
  };
}

function checkScopes(child: KubernetesObject, owner: KubernetesObject): void {
  const inside = owner.metadata.namespace ?? '';
  const own = child.metadata.namespace ?? '';
  if (inside === '') return;
  if (own === '') {
    throw new OwnershipError(`${describe(child)} is cluster-scoped and cannot be owned by ${describe(owner)}`);
  }
  if (own !== inside) {
    throw new OwnershipError(
      `${describe(child)} in namespace ${quote(own)} cannot be owned by ${describe(owner)} in namespace ${quote(inside)}`,
    );
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

/** Versions may differ: the same object is served in several. */
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
