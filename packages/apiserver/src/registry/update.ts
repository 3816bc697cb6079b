import {
  conflict,
  type FieldError,
  invalid,
  invalidField,
  isAlreadyExists,
  isDeleting,
  type KubernetesObject,
  notFound,
} from '@kubewright/apimachinery';
import { formatTime, sameJson } from '@kubewright/apimachinery/internal';
import type { AdmissionAttributes } from '../admission/admission-plugin.ts';
import { unknownFailure } from '../http/failures.ts';
import { RevisionMismatchError, type StoredObject } from '../storage/storage.ts';
import type { WriteCall } from './call.ts';
import { ClaimTakenError, catchUp, claimTries, claimWrites } from './claims.ts';
import { commitObject } from './commit-object.ts';
import { checkNamespace, createObject, storedKind } from './create.ts';
import { validateMetadataUpdate, warnOfFinalizers } from './metadata-validation.ts';
import { isNamespace, namespaceFinalizers } from './namespace-rules.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import type { Registry } from './registry.ts';
import { encodeStored, toStorageForm } from './served-form.ts';
import type { Draft, Strategy } from './strategy.ts';

/** Builds the new object from the stored object. Called again if another write came first. */
export type Transform = (
  live: KubernetesObject | undefined,
  stored: StoredObject | undefined,
) => Draft | Promise<Draft>;

/** Options for {@link updateObject}. */
export interface UpdateOptions {
  readonly call: WriteCall;
  readonly strategy: Strategy;
  /** Creates a missing object even if the kind's strategy forbids it (server-side apply). */
  readonly createIfMissing?: boolean | undefined;
  /** UID that the stored object must have. */
  readonly uid?: string | undefined;
  /** True if the transform has already recorded field ownership. */
  readonly tracked?: boolean | undefined;
  /**
   * Set if mutating admission has already run, because the client sent an object of a different kind, such as a Scale. Returns the
   * attributes for validating admission, or undefined if validating admission has run as well.
   *
   * @defaultValue mutating and validating admission run on the updated object
   */
  readonly validatingAttributes?:
    | ((draft: Draft, live: KubernetesObject) => AdmissionAttributes | undefined)
    | undefined;
}

/** The result of {@link updateObject}. */
export interface Updated {
  readonly stored: StoredObject;
  readonly created: boolean;
}

const optimisticLock = 'the object has been modified; please apply your changes to the latest version and try again';

/** Changes an object by compare-and-swap, with as many retries as needed. Mirrors `Store.Update` (1.36). */
export async function updateObject(registry: Registry, transform: Transform, options: UpdateOptions): Promise<Updated> {
  const { definition, services } = registry;
  const { call, strategy } = options;
  const key = registry.key(call.namespace, call.name);
  for (let taken = 0; ; ) {
    call.signal.throwIfAborted();
    const stored = await services.storage.get(key);
    if (stored === undefined) {
      if (!strategy.allowCreateOnUpdate && options.createIfMissing !== true) throw notFound(definition, call.name);
      const draft = await transform(undefined, undefined);
      checkMissing(registry, draft, options);
      try {
        const { strategy: main } = definition; // subresources create objects with the main resource's strategy
        const created = await createObject(registry, draft, {
          call,
          strategy: main,
          tracked: options.tracked === true,
        });
        return { stored: created, created: true };
      } catch (error) {
        // Another request has created the object since the read: update it instead.
        if (isAlreadyExists(error) && (await services.storage.get(key)) !== undefined) continue;
        throw error;
      }
    }
    try {
      return { stored: await updateOnce(registry, transform, { ...options, stored }), created: false };
    } catch (error) {
      if (error instanceof ClaimTakenError) {
        if (++taken >= claimTries) throw conflict(definition, call.name, error.message);
        await catchUp(registry);
      } else if (!(error instanceof RevisionMismatchError)) throw error;
    }
  }
}

function checkMissing({ definition }: Registry, draft: Draft, { call, uid }: UpdateOptions): void {
  const requested = draft.metadata.uid || uid;
  if (requested) {
    const cause = `uid mismatch: the provided object specified uid ${requested}, and no existing object was found`;
    throw conflict(definition, call.name, cause);
  }
  if (draft.metadata.resourceVersion) throw notFound(definition, call.name);
}

async function updateOnce(
  registry: Registry,
  transform: Transform,
  options: UpdateOptions & { readonly stored: StoredObject },
): Promise<StoredObject> {
  const { services } = registry;
  const { call, strategy, stored, uid } = options;
  const live = registry.form.object(stored);
  if (uid && uid !== live.metadata.uid) throw uidPrecondition(registry, { call, uid, actual: live.metadata.uid ?? '' });
  const draft = await transform(live, stored);
  const now = formatTime(services.clock.now());
  dedupOwnerReferences(draft, call.warn);
  if (options.tracked !== true) await registry.trackUpdate(live, draft, { call, time: now });
  const own = registry.admissionAttributes(call, { operation: 'UPDATE', object: draft, old: live });
  const { validatingAttributes } = options;
  if (!validatingAttributes) await services.admission.mutate(own);
  checkNamespace(registry, draft, call);
  dedupOwnerReferences(draft, call.warn, ' after mutating admission happens');
  checkResourceVersion(registry, draft, { call, strategy, stored });
  try {
    beforeUpdate(registry, draft, { call, strategy, live });
    const attributes = validatingAttributes ? validatingAttributes(draft, live) : own;
    if (attributes) await services.admission.validate(attributes);
    registry.keepUnchangedTimes(draft, live);
    strategy.prepareForStorage?.(draft);
    return await write(registry, draft, { call, live, stored });
  } catch (error) {
    strategy.abandon?.(draft);
    throw error;
  }
}

function uidPrecondition(
  { definition }: Registry,
  { call, uid, actual }: { readonly call: WriteCall; readonly uid: string; readonly actual: string },
): Error {
  // A dry run does not reach the storage that adds the root of all keys.
  const prefix = call.dryRun ? definition.storagePrefix.replace(/^\/registry/, '') : definition.storagePrefix;
  const key = prefix + (call.namespace === '' ? '' : `${call.namespace}/`) + call.name;
  return conflict(
    definition,
    call.name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
  );
}

function checkResourceVersion(
  { definition }: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy; readonly stored: StoredObject },
): void {
  const { call, strategy, stored } = options;
  const { resourceVersion } = draft.metadata;
  if (!resourceVersion || resourceVersion === '0') {
    if (strategy.allowUnconditionalUpdate) return;
    const kind = { group: definition.group, kind: definition.resource };
    throw invalid(kind, call.name, [invalidField('metadata.resourceVersion', 0, 'must be specified for an update')]);
  }
  if (!/^\d+$/.test(resourceVersion)) {
    throw unknownFailure(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (resourceVersion !== String(stored.revision)) throw conflict(definition, call.name, optimisticLock);
}

function beforeUpdate(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy; readonly live: KubernetesObject },
): void {
  const { definition } = registry;
  const { call, strategy, live } = options;
  const { metadata } = draft;
  if (definition.scope === 'Namespaced') metadata.namespace = call.namespace;
  const generation = live.metadata.generation;
  if (generation === undefined) delete metadata.generation;
  else metadata.generation = generation;
  const context = registry.strategyContext(call);
  strategy.prepareForUpdate?.(draft, live, context);
  // Read `metadata` again: a strategy that keeps the stored metadata has replaced it.
  const prepared = draft.metadata;
  if (needsNewGeneration(registry, draft, { strategy, live })) {
    prepared.generation = (generation ?? 0) + 1;
  }
  const checksGenerateName = strategy.checksGenerateName === 'always';
  const metadataErrors = validateMetadataUpdate(prepared, live.metadata, { definition, checksGenerateName });
  const object = draft as unknown as KubernetesObject; // the draft is complete now
  const own: readonly FieldError[] = strategy.validateUpdate?.(object, live, context) ?? [];
  const errors = metadataErrors.length > 0 ? [...metadataErrors, ...own] : own;
  if (errors.length > 0) throw invalid(storedKind(definition), call.name, errors);
  if (strategy.warnings) for (const text of strategy.warnings(object, live)) call.warn(text);
  if (definition.custom) warnOfFinalizers(prepared, live.metadata, call.warn);
}

function needsNewGeneration(
  { definition }: Registry,
  draft: Draft,
  { strategy, live }: { readonly strategy: Strategy; readonly live: KubernetesObject },
): boolean {
  if (strategy.generation === 'none') return false;
  const { isSame = sameJson } = strategy;
  const old = live as unknown as Readonly<Record<string, unknown>>;
  if (strategy.generation === 'spec') return !isSame(draft['spec'], old['spec']);
  if (strategy.generation === 'object-or-labels' && !isSame(draft.metadata.labels ?? {}, live.metadata.labels ?? {}))
    return true;
  const ignored = definition.subresources.has('status') ? ignoredWithStatus : ignoredFields;
  for (const key of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (!ignored.has(key) && !isSame(draft[key], old[key])) return true;
  }
  return false;
}

const ignoredFields = new Set(['apiVersion', 'kind', 'metadata']);
const ignoredWithStatus = new Set([...ignoredFields, 'status']);

async function write(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly live: KubernetesObject; readonly stored: StoredObject },
): Promise<StoredObject> {
  const { definition, services } = registry;
  const { call, live, stored } = options;
  const { key, revision } = stored;
  const next = toStorageForm(draft, definition);
  // Upstream's storage drops the link, but not in a dry run.
  if (call.dryRun && draft.metadata['selfLink']) next.metadata['selfLink'] = draft.metadata['selfLink'];
  if (isFinished(registry, draft, live)) {
    // The write removes the last finalizer of a deleting object, so it deletes the object.
    const claims = await claimWrites(registry, { key, before: live, after: undefined });
    if (!call.dryRun) await services.storage.commit([{ key, expected: revision, bytes: undefined }, ...claims]);
    return { key, bytes: encodeStored(next), revision };
  }
  if (isUnchanged(registry, draft, live) && !lacksDefaults(registry, stored)) return stored;
  if (call.dryRun) {
    const made = { key, bytes: encodeStored(next), revision };
    return services.rehearse?.(made) ?? made;
  }
  return commitObject(registry, next, { key, expected: revision, before: live });
}

function isUnchanged({ definition }: Registry, draft: Draft, live: KubernetesObject): boolean {
  const metadata = { ...withoutEmpty(draft.metadata), resourceVersion: live.metadata.resourceVersion ?? '' };
  return sameJson({ ...draft, kind: definition.kind, apiVersion: live.apiVersion, metadata }, live);
}

/** Reports whether an update that changes nothing must store the defaults of a new object, as upstream does. */
function lacksDefaults({ definition, form }: Registry, stored: StoredObject): boolean {
  if (definition.custom || definition.fromStored === undefined) return false;
  return !sameJson(form.stored(stored), form.object(stored));
}

const prunedMetadata = new Set([
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'generateName',
]);

/** Returns metadata without its empty maps and lists, which are never stored. */
function withoutEmpty(metadata: Draft['metadata']): Draft['metadata'] {
  const kept = Object.entries(metadata).filter(([field, value]) => !prunedMetadata.has(field) || !isEmpty(value));
  return Object.fromEntries(kept);
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);
}

function isFinished({ definition }: Registry, draft: Draft, live: KubernetesObject): boolean {
  if (!isDeleting(live) || (draft.metadata.finalizers?.length ?? 0) > 0) return false;
  if (isNamespace(definition)) {
    return namespaceFinalizers(draft).length === 0 && (live.metadata.deletionGracePeriodSeconds ?? 0) === 0;
  }
  const { deletionGracePeriodSeconds } = live.metadata;
  if (definition.strategy.deletionMark === 'timestamp') return (deletionGracePeriodSeconds ?? 0) === 0;
  return deletionGracePeriodSeconds === 0;
}
