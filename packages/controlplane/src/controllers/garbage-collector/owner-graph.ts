import type { KindDescriptor, ObjectMeta, OwnerReference } from '@kubewright/apimachinery';
import { apiVersionOf } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

/** An object in the graph. */
export interface GraphNode {
  readonly uid: string;
  readonly kind: KindDescriptor | undefined;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  /** True if the object is being deleted. */
  readonly deleting: boolean;
  /** True if the object is being deleted in the foreground: it waits for its blocking dependents to be deleted. */
  readonly foreground: boolean;
  /** True if the object is being deleted and its dependents will be kept. */
  readonly orphaning: boolean;
}

/** Receives notifications from an {@link OwnerGraph}. */
export interface OwnerGraphListener {
  /** Called when a node must be processed. */
  enqueue(uid: string): void;
  /**
   * Called for a dependent whose owner reference does not match its owner: the owner is in another namespace, or its kind or name
   * differs.
   */
  mismatch(dependent: GraphNode, owner: GraphNode): void;
}

const none: ReadonlySet<string> = new Set();

/**
 * A graph of owners and dependents, by uid. Events of different kinds arrive in any order, so a dependent may be
 * observed before its owner. The dependent is then processed, because the owner may not exist. Pure: makes no calls and
 * does not depend on time.
 */
export class OwnerGraph {
  readonly #listener: OwnerGraphListener;
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  constructor(listener: OwnerGraphListener) {
    this.#listener = listener;
  }

  /** The number of observed objects. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Returns the node of an observed object. */
  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Returns the observed objects that name this uid as an owner. */
  dependentsOf(uid: string): readonly GraphNode[] {
    const uids = this.#dependents.get(uid) ?? none;
    return [...uids].map((each) => this.#nodes.get(each)).filter((node): node is GraphNode => node !== undefined);
  }

  /** Returns the dependents that block the deletion of this owner. */
  blockingDependentsOf(uid: string): readonly GraphNode[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true),
    );
  }

  /** Adds or updates an object. */
  observe(kind: KindDescriptor, metadata: ObjectMeta): void {
    const before = this.#nodes.get(metadata.uid ?? '');
    const node = nodeOf(kind, metadata);
    this.#nodes.set(node.uid, node);
    if (!before || !sameJson(before.owners, node.owners)) this.#relink(before, node);
    if (!before) this.#checkDependents(node);
    this.#transition(before, node);
  }

  /** Removes an object. Enqueues its dependents, and each of its owners that is being deleted in the foreground. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    for (const { uid: owner } of node.owners) this.#unlink(owner, uid);
    for (const dependent of this.#dependents.get(uid) ?? none) this.#listener.enqueue(dependent);
    for (const { uid: owner } of node.owners) {
      if (this.#nodes.get(owner)?.foreground) this.#listener.enqueue(owner);
    }
  }

  #relink(before: GraphNode | undefined, node: GraphNode): void {
    const owners = new Set(node.owners.map(({ uid }) => uid));
    for (const { uid } of before?.owners ?? []) {
      if (!owners.has(uid)) this.#unlink(uid, node.uid);
      // The reference was removed or may no longer block the owner, so check whether the owner can be deleted now.
      if (this.#nodes.get(uid)?.foreground) this.#listener.enqueue(uid);
    }
    for (const reference of node.owners) {
      const dependents = this.#dependents.get(reference.uid) ?? new Set<string>();
      dependents.add(node.uid);
      this.#dependents.set(reference.uid, dependents);
      const owner = this.#nodes.get(reference.uid);
      if (!owner) this.#listener.enqueue(node.uid);
      else if (!fits(node, reference, owner)) this.#reportMismatch(node, owner);
      else if (owner.foreground) this.#listener.enqueue(node.uid);
    }
  }

  /** Checks the dependents that were observed before their owner: their references could not be compared earlier. */
  #checkDependents(owner: GraphNode): void {
    for (const dependent of this.dependentsOf(owner.uid)) {
      const reference = dependent.owners.find(({ uid }) => uid === owner.uid);
      if (reference && !fits(dependent, reference, owner)) this.#reportMismatch(dependent, owner);
    }
  }

  #reportMismatch(dependent: GraphNode, owner: GraphNode): void {
    this.#listener.mismatch(dependent, owner);
    this.#listener.enqueue(dependent.uid);
  }

  #transition(before: GraphNode | undefined, node: GraphNode): void {
    if (node.orphaning && !before?.orphaning) this.#listener.enqueue(node.uid);
    if (!node.foreground || before?.foreground) return;
    for (const dependent of this.#dependents.get(node.uid) ?? none) this.#listener.enqueue(dependent);
    this.#listener.enqueue(node.uid);
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

function nodeOf(kind: KindDescriptor, metadata: ObjectMeta): GraphNode {
  const { uid = '', namespace = '', name = '', ownerReferences = [], finalizers = [], deletionTimestamp } = metadata;
  const deleting = deletionTimestamp !== undefined && deletionTimestamp !== null;
  const orphaning = deleting && finalizers.includes(orphanFinalizer);
  const foreground = deleting && !orphaning && finalizers.includes(foregroundFinalizer);
  return { uid, kind, namespace, name, owners: ownerReferences, deleting, foreground, orphaning };
}

/** True if the reference matches the owner's kind and name, and the owner is cluster-scoped or in the same namespace. */
function fits(dependent: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
  const named =
    owner.kind !== undefined &&
    reference.kind === owner.kind.kind &&
    reference.name === owner.name &&
    reference.apiVersion === apiVersionOf(owner.kind);
  return named && (owner.namespace === '' || owner.namespace === dependent.namespace);
}
