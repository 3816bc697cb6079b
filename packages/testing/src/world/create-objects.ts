import {
  type Kind,
  type KubernetesObject,
  type OwnerReference,
  parseApiVersion,
  type Stored,
  type VirtualClock,
} from '@kubewright/apimachinery';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import { titleOf } from '../matchers/matcher.ts';
import { ownersAmong, ownersFirst } from './owners.ts';
import { WorldError } from './world-error.ts';

type Created = Stored<KubernetesObject>;

/**
 * Creates objects as if they had existed before: created at their `creationTimestamp`, with their status, and marked for deletion
 * at their `deletionTimestamp`. Owner references to other objects of the list get these objects' UIDs. Returns the objects as
 * stored, in the given order.
 */
export async function createObjects(
  client: KubernetesClient,
  { objects, clock }: { readonly objects: readonly KubernetesObject[]; readonly clock: VirtualClock },
): Promise<readonly Created[]> {
  const created = new Map<KubernetesObject, Created>();
  const ownersOf = ownersAmong(objects);
  for (const object of ownersFirst(objects, ownersOf)) {
    await ensureNamespace(client, object);
    const owners = ownersOf(object);
    const ownerReferences = object.metadata.ownerReferences?.map((reference) => {
      const owner = owners.get(reference);
      return owner ? { ...reference, uid: (created.get(owner) as Created).metadata.uid } : reference;
    });
    created.set(object, await createOne(client, { object, ownerReferences, clock }));
  }
  return objects.map((object) => created.get(object) as Created);
}

/** Creates the namespace of an object unless it exists. */
export async function ensureNamespace(
  client: KubernetesClient,
  { kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>,
): Promise<void> {
  const { namespace } = metadata;
  if (namespace === undefined || kind === 'Namespace') return;
  const { items } = await client.resource(Namespace).list({ fieldSelector: { 'metadata.name': namespace } });
  if (items.length === 0) await client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
}

async function createOne(
  client: KubernetesClient,
  parts: {
    readonly object: KubernetesObject;
    readonly ownerReferences: readonly OwnerReference[] | undefined;
    readonly clock: VirtualClock;
  },
): Promise<Created> {
  const { object, ownerReferences, clock } = parts;
  const { creationTimestamp, deletionTimestamp, finalizers = [] } = object.metadata;
  const resource = client.resource(await kindOf(client, object));
  // The server sets these fields itself.
  const { uid, resourceVersion, generation, managedFields, ...metadata } = object.metadata as Record<string, unknown>;
  const given = {
    ...object,
    metadata: { ...metadata, ...defined({ ownerReferences }) },
  } as KubernetesObject;
  let created = await at(clock, { time: creationTimestamp ?? undefined, act: () => resource.create(given) });
  const { status } = object as { readonly status?: unknown };
  if (status !== undefined && !sameJson((created as { readonly status?: unknown }).status, status)) {
    created = await resource.status.update({ ...created, status } as Created);
  }
  if (deletionTimestamp === undefined || deletionTimestamp === null) return created;
  if (finalizers.length === 0) {
    throw new WorldError({
      what: `cannot create ${titleOf(object)} with a deletionTimestamp`,
      why: 'the object has no finalizers, so the API server would have deleted it',
      remedy: 'add the finalizer that blocks its deletion, or omit the object',
    });
  }
  const { name, namespace } = created.metadata;
  const key = namespace === undefined ? { name } : { namespace, name };
  await at(clock, { time: deletionTimestamp, act: () => resource.delete(key) });
  return resource.get(key);
}

/** Runs a function with the clock set to the given time, or unchanged if no time is given. */
async function at<R>(
  clock: VirtualClock,
  { time, act }: { readonly time: string | undefined; readonly act: () => Promise<R> },
): Promise<R> {
  const differenceMs = time === undefined ? 0 : Date.parse(time) - clock.now();
  clock.jumpWall(differenceMs);
  try {
    return await act();
  } finally {
    clock.jumpWall(-differenceMs);
  }
}

async function kindOf(client: KubernetesClient, object: KubernetesObject): Promise<Kind<KubernetesObject>> {
  const { group, version } = parseApiVersion(object.apiVersion ?? '');
  const found = (await client.discovery.mapper()).forKind({ group, version, kind: object.kind ?? '' });
  if (found) return found;
  throw new WorldError({
    what: `cannot create ${titleOf(object)}`,
    why: `no kind or manifest defines ${object.kind} of ${object.apiVersion}`,
    remedy: 'pass the kind in `kinds`, or its manifest in `manifests`',
  });
}
