import { conflict, type KubernetesObject, notFound, type Status } from '@kubewright/apimachinery';
import { defined, formatTime } from '@kubewright/apimachinery/internal';
import { RevisionMismatchError, type StoredObject } from '../storage/storage.ts';
import type { WriteCall } from './call.ts';
import { claimWrites } from './claims.ts';
import { storedKind } from './create.ts';
import type { DeleteOptions } from './delete-options.ts';
import { finalizersFor } from './garbage-collection.ts';
import { isNamespace, markTerminating, namespaceFinalizers } from './namespace-rules.ts';
import type { Registry } from './registry.ts';
import { encodeStored, toStorageForm } from './served-form.ts';
import type { Draft } from './strategy.ts';

/** The result of a deletion: a Status, or the object, either still present or as last stored. */
export interface Deleted {
  readonly stored?: StoredObject | undefined;
  readonly status?: Status | undefined;
  /** False if the object waits for finalizers or its grace period. */
  readonly immediate: boolean;
}

/**
 * Checks the preconditions, then deletes the object, or marks it as deleting while it has a grace period or finalizers. Mirrors
 * `Store.Delete` (1.36).
 */
export async function deleteObject(registry: Registry, call: WriteCall, options: DeleteOptions): Promise<Deleted> {
  const { definition, services } = registry;
  const key = registry.key(call.namespace, call.name);
  for (;;) {
    call.signal.throwIfAborted();
    const stored = await services.storage.get(key);
    if (stored === undefined) throw notFound(definition, call.name);
    const live = registry.form.object(stored);
    checkPreconditions(registry, live, { call, options });
    const attributes = registry.admissionAttributes(admissionCall(registry, call, live), {
      operation: 'DELETE',
      object: undefined,
      old: live,
    });
    await services.admission.mutate(attributes);
    await services.admission.validate(attributes);
    try {
      return await deleteOnce(registry, { call, options, stored, live });
    } catch (error) {
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  }
}

/** Adds a UID precondition to the deletion of a namespace. */
function admissionCall({ definition }: Registry, call: WriteCall, { metadata }: KubernetesObject): WriteCall {
  if (!isNamespace(definition)) return call;
  return { ...call, options: { preconditions: { uid: metadata.uid }, ...call.options } };
}

function checkPreconditions(
  { definition }: Registry,
  live: KubernetesObject,
  { call, options }: { readonly call: WriteCall; readonly options: DeleteOptions },
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  if (isNamespace(definition)) {
    checkNamespacePreconditions(definition, live, { uid, resourceVersion });
    return;
  }
  const { group, kind } = storedKind(definition);
  const resource = { group, resource: kind };
  if (uid !== undefined && uid !== live.metadata.uid) {
    throw conflict(
      resource,
      call.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${live.metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(
      resource,
      call.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${live.metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** Checks the preconditions for deleting a namespace. Upstream reports failures with the messages of its storage. */
function checkNamespacePreconditions(
  definition: Registry['definition'],
  { metadata }: KubernetesObject,
  wanted: NonNullable<DeleteOptions['preconditions']>,
): void {
  for (const [field, label] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    if (wanted[field] === undefined || wanted[field] === metadata[field]) continue;
    const failed = `${label} in precondition: ${wanted[field]}, ${label} in object meta: ${metadata[field]}`;
    throw conflict(definition, metadata.name ?? '', `Precondition failed: ${failed}`);
  }
}

interface Deletion {
  readonly call: WriteCall;
  readonly options: DeleteOptions;
  readonly stored: StoredObject;
  readonly live: KubernetesObject;
}

async function deleteOnce(registry: Registry, deletion: Deletion): Promise<Deleted> {
  const { call, stored, live } = deletion;
  const plan = planDeletion(registry, deletion);
  if (plan.type === 'pending') return { ...resultOf(registry, stored, live), immediate: false };
  if (plan.type === 'update') return { stored: await store(registry, plan.draft, deletion), immediate: false };
  if (plan.type === 'unchanged') return { stored, immediate: false };
  // Upstream marks an object with graceful deletion before it removes it, so watchers get two events.
  const marked = plan.draft ? await store(registry, plan.draft, deletion) : stored;
  const removed = call.dryRun ? marked : await remove(registry, marked, { live, isMarked: plan.draft !== undefined });
  return { ...resultOf(registry, removed, live), immediate: true };
}

/** Removes an object. Returns it with the resourceVersion of its DELETED event. */
async function remove(
  registry: Registry,
  stored: StoredObject,
  { live, isMarked }: { readonly live: KubernetesObject; readonly isMarked: boolean },
): Promise<StoredObject> {
  const { storage } = registry.services;
  const { key } = stored;
  for (let last = stored; ; ) {
    try {
      const claims = await claimWrites(registry, { key, before: live, after: undefined });
      const removal = { key, expected: last.revision, bytes: undefined };
      const { revision } = await storage.commit([removal, ...claims]);
      return { ...last, revision };
    } catch (error) {
      // Before the mark, the deletion starts over. After it, another write does not stop the removal.
      if (!isMarked || !(error instanceof RevisionMismatchError)) throw error;
      const current = await storage.get(key);
      if (current === undefined || registry.form.object(current).metadata.uid !== live.metadata.uid) return last;
      last = current;
    }
  }
}

type Plan =
  | { readonly type: 'remove'; readonly draft?: Draft | undefined }
  | { readonly type: 'update'; readonly draft: Draft }
  | { readonly type: 'pending' }
  | { readonly type: 'unchanged' };

function planDeletion(registry: Registry, deletion: Deletion): Plan {
  const { definition, services } = registry;
  const { call, options, stored, live } = deletion;
  if (isNamespace(definition)) return planNamespace(registry, deletion);
  const { strategy } = definition;
  const draft = registry.form.draft(stored);
  const grace = decideGrace(registry, draft, deletion);
  if (grace === 'pending') return { type: 'pending' };
  if (live.metadata.deletionTimestamp === undefined) {
    strategy.prepareForDelete?.(draft, registry.strategyContext(call));
  }
  setFinalizers(draft, finalizersFor(draft.metadata.finalizers ?? [], { options, definition }));
  const pending = (draft.metadata.finalizers?.length ?? 0) > 0;
  if (grace === 'graceful') {
    const seconds = draft.metadata.deletionGracePeriodSeconds ?? 0;
    return pending || seconds > 0 ? { type: 'update', draft } : { type: 'remove', draft };
  }
  if (!pending) return { type: 'remove' };
  const now = formatTime(services.clock.now());
  if (strategy.deletionMark === 'timestamp' && live.metadata.deletionTimestamp === undefined) {
    draft.metadata.deletionTimestamp = now;
    return { type: 'update', draft };
  }
  return markDeleting(draft, live, now) ? { type: 'update', draft } : { type: 'unchanged' };
}

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Decides whether a deletion is graceful, and sets its timestamps; see `BeforeDelete` (1.36). */
function decideGrace(registry: Registry, draft: Draft, { options, live }: Deletion): 'graceful' | 'none' | 'pending' {
  const { strategy } = registry.definition;
  if (!strategy.gracefulSeconds) return 'none';
  const { metadata } = draft;
  const requested = options.gracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    if (metadata.deletionGracePeriodSeconds === undefined) return 'none';
    const granted = metadata.deletionGracePeriodSeconds;
    if (requested === undefined || requested >= granted) return 'pending';
    // Deletion timestamps are capped at the year 9999, so the start of a very long grace period is unknown: count from now.
    const started = Date.parse(metadata.deletionTimestamp) - Number(granted) * 1000;
    const since = started > 0 ? started : registry.services.clock.now();
    metadata.deletionTimestamp = formatTime(later(since, requested));
    metadata.deletionGracePeriodSeconds = requested as number; // large values are bigints, as in all objects
    return 'graceful';
  }
  const seconds = strategy.gracefulSeconds(live, requested);
  if (seconds === undefined) return 'none';
  metadata.deletionTimestamp = formatTime(later(registry.services.clock.now(), seconds));
  metadata.deletionGracePeriodSeconds = seconds as number;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return 'graceful';
}

/** Adds a grace period to a time, capped at the end of the year 9999: the API has no later time. */
function later(ms: number, seconds: number | bigint): number {
  return Math.min(ms + Number(seconds) * 1000, latestMs);
}

function setFinalizers(draft: Draft, finalizers: string[]): void {
  if (finalizers.length > 0) draft.metadata.finalizers = finalizers;
  else delete draft.metadata.finalizers;
}

/** Marks an object as deleting while it waits for its finalizers. @returns false if nothing changed. */
function markDeleting(draft: Draft, live: KubernetesObject, now: string): boolean {
  const { metadata } = draft;
  if (metadata.deletionGracePeriodSeconds === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = (metadata.generation ?? 0) + 1;
  }
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp > now) metadata.deletionTimestamp = now;
  metadata.deletionGracePeriodSeconds = 0;
  const old = live.metadata;
  return (
    old.deletionTimestamp !== metadata.deletionTimestamp ||
    old.deletionGracePeriodSeconds !== 0 ||
    (old.finalizers ?? []).join() !== (metadata.finalizers ?? []).join()
  );
}

function planNamespace(registry: Registry, { call, options, stored, live }: Deletion): Plan {
  const { definition, services } = registry;
  if (live.metadata.deletionTimestamp !== undefined) {
    if (namespaceFinalizers(live).length > 0) return { type: 'unchanged' };
    if ((live.metadata.finalizers?.length ?? 0) > 0) return { type: 'unchanged' };
    return { type: 'remove' };
  }
  const draft = registry.form.draft(stored);
  draft.metadata.deletionTimestamp = formatTime(services.clock.now());
  markTerminating(draft);
  definition.strategy.prepareForDelete?.(draft, registry.strategyContext(call));
  // Only for namespaces, `orphanDependents: false` means foreground deletion.
  const { orphanDependents, ...others } = options;
  const policy = orphanDependents === false ? { ...others, propagationPolicy: 'Foreground' as const } : options;
  setFinalizers(draft, finalizersFor(draft.metadata.finalizers ?? [], { options: policy, definition }));
  return { type: 'update', draft };
}

async function store(registry: Registry, draft: Draft, { call, stored }: Deletion): Promise<StoredObject> {
  const { key, revision } = stored;
  const { ttlSeconds } = registry.definition;
  const bytes = encode(registry, draft);
  if (call.dryRun) return { key, bytes, revision };
  const { objects } = await registry.services.storage.commit([{ key, expected: revision, bytes, ttlSeconds }]);
  return objects[0] as StoredObject; // one write that is not a delete returns one object
}

function encode({ definition }: Registry, draft: Draft): Uint8Array {
  return encodeStored(toStorageForm(draft, definition));
}

function resultOf({ definition }: Registry, stored: StoredObject, live: KubernetesObject): Omit<Deleted, 'immediate'> {
  if (definition.strategy.returnsDeleted) return { stored };
  const { name = '', uid } = live.metadata;
  const details = {
    name,
    ...(definition.group === '' ? {} : { group: definition.group }),
    kind: definition.resource,
    ...defined({ uid }),
  };
  // A success has no code on the wire, although the type requires one.
  return {
    status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } as unknown as Status,
  };
}
