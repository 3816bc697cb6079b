import { apiVersionOf, type Kind, type KubernetesObject, type OwnerReference } from '@kubewright/apimachinery';

/** Thrown when an object cannot be owned as asked. */
export class OwnershipError extends Error {
  readonly code = 'KW3003';

  constructor(message: string) {
    super(message);
    this.name = 'OwnershipError';
  }
}

/** Who owns, and in which way. */
export interface OwnershipOptions {
  readonly owner: KubernetesObject;
  readonly ownerKind: Kind<KubernetesObject>;
  /** Whether the object's kind lives in namespaces. */
  readonly childScope: 'Namespaced' | 'Cluster';
  readonly controller: boolean;
}

/**
 * Makes a copy of an object that refers to its owner; a reference to the owner's group, kind and name is replaced.
 *
 * @throws OwnershipError (KW3003) when the garbage collector would delete the object: a namespaced owner of a
 * cluster-scoped object or of one in another namespace; or when it has another controller.
 */
export function withOwnerReference<T extends KubernetesObject>(object: T, options: OwnershipOptions): T {
  const { owner, ownerKind, controller } = options;
  checkScopes(object, options);
  const { name = '', uid = '' } = owner.metadata;
  if (uid === '')
    throw new OwnershipError(
      `cannot own by ${ownerKind.kind} ${name}: it has no uid; read it from the API server first`,
    );
  const reference: OwnerReference = {
    apiVersion: apiVersionOf(ownerKind),
    kind: ownerKind.kind,
    name,
    uid,
    ...(controller && { controller: true, blockOwnerDeletion: true }),
  };
  const others = (object.metadata.ownerReferences ?? []).filter((each) => !sameOwner(each, reference));
  const rival = controller ? others.find((each) => each.controller) : undefined;
  if (rival) {
    throw new OwnershipError(
      `cannot make ${ownerKind.kind} ${name} the controller of ${object.kind} ${object.metadata.name}: ${rival.kind} ${rival.name} controls it`,
    );
  }
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...others, reference] } };
}

function checkScopes(object: KubernetesObject, options: OwnershipOptions): void {
  const { owner, ownerKind, childScope } = options;
  if (ownerKind.scope === 'Cluster') return;
  const what = `${object.kind} ${object.metadata.name ?? ''}`;
  if (childScope === 'Cluster') {
    throw new OwnershipError(
      `cannot own ${what} by ${ownerKind.kind} ${owner.metadata.name}: a namespaced object cannot own a cluster-scoped one; pass ownership: 'none'`,
    );
  }
  if (object.metadata.namespace !== owner.metadata.namespace) {
    throw new OwnershipError(
      `cannot own ${what} in namespace ${object.metadata.namespace} by ${ownerKind.kind} ${owner.metadata.name} in ${owner.metadata.namespace}: owners and their children share a namespace; pass ownership: 'none'`,
    );
  }
}

function sameOwner(a: OwnerReference, b: OwnerReference): boolean {
  return a.kind === b.kind && a.name === b.name && groupOf(a.apiVersion) === groupOf(b.apiVersion);
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
