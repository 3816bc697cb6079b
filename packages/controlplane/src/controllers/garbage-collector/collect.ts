import {
  isConflict,
  isDeleting,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  type OwnerReference,
} from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import { foregroundFinalizer, type GraphNode, type OwnerGraph, orphanFinalizer } from './owner-graph.ts';
import { type LookupContext, NamespacedOwnerError, type OwnerLookup, type Owners } from './owner-lookup.ts';

/** Dependencies of {@link collect}. */
export interface CollectParts extends LookupContext {
  readonly graph: OwnerGraph;
  readonly lookup: OwnerLookup;
  readonly enqueue: (uid: string) => void;
  /** True once all resources are listed. Until then, an owner may have dependents that are not in the graph yet. */
  readonly hasSynced: () => boolean;
}

/** The result of processing a node; `look-again` if it must be processed again later. */
export type CollectOutcome = 'done' | 'look-again';

/**
 * Processes one node: deletes it if its owners are gone, or completes its own foreground or orphan deletion. Every
 * decision is based on the live object, and every write carries the object's uid and version. The graph only selects
 * the candidates.
 */
export async function collect(node: GraphNode, parts: CollectParts): Promise<CollectOutcome> {
  if (node.orphaning) return orphanDependents(node, parts);
  if (node.deleting && !node.foreground) return 'done';
  const live = await getLive(node, parts);
  if (!live) {
    // The delete event was missed or has not arrived yet.
    parts.graph.remove(node.uid);
    return 'done';
  }
  if (node.foreground) return finishForeground(node, { live, parts });
  const references = live.metadata.ownerReferences ?? [];
  if (references.length === 0) return 'done';
  try {
    const owners = await parts.lookup.classify(references, { ...parts, namespace: node.namespace });
    await applyOwners(node, { live, owners, parts });
  } catch (error) {
    if (!(error instanceof NamespacedOwnerError)) throw error;
  }
  return 'done';
}

async function applyOwners(
  node: GraphNode,
  { live, owners, parts }: { readonly live: KubernetesObject; readonly owners: Owners; readonly parts: CollectParts },
): Promise<void> {
  const { solid, dangling, waiting } = owners;
  if (solid.length > 0) {
    const left = new Set([...dangling, ...waiting].map(({ uid }) => uid));
    if (left.size > 0) await keepOwners(node, { live, parts, keep: ({ uid }) => !left.has(uid) });
    return;
  }
  const dependents = parts.graph.dependentsOf(node.uid);
  if (waiting.length > 0 && dependents.length > 0) {
    // Some dependents are also being deleted in the foreground, so owners may wait for each other in a cycle. Stop this
    // object from blocking its owners.
    if (dependents.some(({ foreground }) => foreground)) {
      await writeOwners(node, { live, parts, owners: unblocked(live.metadata.ownerReferences ?? []) });
    }
    await deleteLive(node, { live, parts, propagationPolicy: 'Foreground' });
    return;
  }
  const { finalizers = [] } = live.metadata;
  const propagationPolicy = finalizers.includes(orphanFinalizer)
    ? 'Orphan'
    : finalizers.includes(foregroundFinalizer)
      ? 'Foreground'
      : 'Background';
  await deleteLive(node, { live, parts, propagationPolicy });
}

async function finishForeground(
  node: GraphNode,
  { live, parts }: { readonly live: KubernetesObject; readonly parts: CollectParts },
): Promise<CollectOutcome> {
  if (!parts.hasSynced()) return 'look-again';
  const blocking = parts.graph.blockingDependentsOf(node.uid);
  if (blocking.length === 0) {
    await removeFinalizer(node, { live, parts, name: foregroundFinalizer });
    return 'done';
  }
  for (const { uid, foreground } of blocking) if (!foreground) parts.enqueue(uid);
  return 'done';
}

async function orphanDependents(node: GraphNode, parts: CollectParts): Promise<CollectOutcome> {
  if (!parts.hasSynced()) return 'look-again';
  await Promise.all(
    parts.graph.dependentsOf(node.uid).map((dependent) => removeOwner(dependent, { owner: node.uid, parts })),
  );
  const live = await getLive(node, parts);
  if (live) await removeFinalizer(node, { live, parts, name: orphanFinalizer });
  else parts.graph.remove(node.uid);
  return 'done';
}

async function removeOwner(
  dependent: GraphNode,
  { owner, parts }: { readonly owner: string; readonly parts: CollectParts },
): Promise<void> {
  const live = await getLive(dependent, parts);
  if (live?.metadata.ownerReferences?.some(({ uid }) => uid === owner)) {
    await keepOwners(dependent, { live, parts, keep: ({ uid }) => uid !== owner });
  }
}

/** Returns the live object, or undefined if it no longer exists or if another object now has its name. */
async function getLive(node: GraphNode, { client, signal }: LookupContext): Promise<KubernetesObject | undefined> {
  try {
    const live = await metadataClient(node, client).get(keyOf(node), { signal });
    return live.metadata.uid === node.uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function unblocked(owners: readonly OwnerReference[]): readonly OwnerReference[] {
  return owners.map((owner) => (owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner));
}

interface LiveWrite {
  readonly live: KubernetesObject;
  readonly parts: LookupContext;
}

async function keepOwners(
  node: GraphNode,
  { live, parts, keep }: LiveWrite & { readonly keep: (reference: OwnerReference) => boolean },
): Promise<void> {
  await writeOwners(node, { live, parts, owners: (live.metadata.ownerReferences ?? []).filter(keep) });
}

async function writeOwners(
  node: GraphNode,
  { live, parts, owners }: LiveWrite & { readonly owners: readonly OwnerReference[] },
): Promise<void> {
  await patchLive(node, { live, parts, metadata: { ownerReferences: owners.length > 0 ? owners : null } });
}

async function removeFinalizer(
  node: GraphNode,
  { live, parts, name }: LiveWrite & { readonly name: string },
): Promise<void> {
  const { finalizers = [] } = live.metadata;
  if (!finalizers.includes(name)) return;
  await patchLive(node, { live, parts, metadata: { finalizers: finalizers.filter((each) => each !== name) } });
}

/** Patches the live object. Sends its resource version, so that a concurrent change to the same list is not overwritten. */
async function patchLive(
  node: GraphNode,
  { live, parts, metadata }: LiveWrite & { readonly metadata: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { uid, resourceVersion } = live.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  try {
    await metadataClient(node, parts.client).patch(keyOf(node), { type: 'merge', body }, { signal: parts.signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Deletes the live object with its uid and version as preconditions. Retries once after a conflict, if the object's owners are
 * unchanged and it is not being deleted.
 */
async function deleteLive(
  node: GraphNode,
  {
    live,
    parts,
    propagationPolicy,
  }: LiveWrite & { readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan' },
): Promise<void> {
  const { uid, resourceVersion } = live.metadata;
  const preconditions = { uid, resourceVersion };
  const { client, signal } = parts;
  try {
    await metadataClient(node, client).delete(keyOf(node), { preconditions, propagationPolicy, signal });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    const now = await getLive(node, parts);
    if (!now || isDeleting(now)) return;
    if (!sameJson(now.metadata.ownerReferences, live.metadata.ownerReferences)) throw error;
    const again = { uid, resourceVersion: now.metadata.resourceVersion };
    await metadataClient(node, client).delete(keyOf(node), { preconditions: again, propagationPolicy, signal });
  }
}

function metadataClient(
  node: GraphNode,
  client: LookupContext['client'],
): ReturnType<LookupContext['client']['metadata']> {
  return client.metadata(node.kind as Kind<unknown>);
}

function keyOf({ namespace, name }: GraphNode): ObjectKey {
  return namespace === '' ? { name } : { namespace, name };
}
