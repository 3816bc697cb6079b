import {
  alreadyExists,
  badRequest,
  conflict,
  hasReason,
  invalid,
  isDeleting,
  type KubernetesObject,
  parseApiVersion,
  StatusError,
} from '@kubewright/apimachinery';
import { formatTime, stringifyJson } from '@kubewright/apimachinery/internal';
import { RevisionMismatchError, type StoredObject } from '../storage/storage.ts';
import type { WriteCall } from './call.ts';
import { catchUp, claimTries, isClaimRace } from './claims.ts';
import { commitObject } from './commit-object.ts';
import { generateName, generateNameTries } from './generate-name.ts';
import { validateMetadata, warnOfFinalizers } from './metadata-validation.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import type { Registry } from './registry.ts';
import { encodeStored, toStorageForm } from './served-form.ts';
import type { Draft, Strategy } from './strategy.ts';

interface CreateOptions {
  readonly call: WriteCall;
  readonly strategy: Strategy;
  readonly tracked?: boolean;
}

/**
 * Creates an object: sets its name and system fields, runs admission and validation, and stores it. Mirrors `Store.Create`
 * (1.36).
 */
export async function createObject(registry: Registry, draft: Draft, options: CreateOptions): Promise<StoredObject> {
  if (registry.definition.claims === undefined) return createOnce(registry, draft, options);
  const copy = structuredClone(draft);
  for (let attempt = 1; ; attempt++) {
    options.call.signal.throwIfAborted();
    try {
      // The first attempt gets the decoded object itself, which the strategy may know more about than its fields say.
      return await createOnce(registry, attempt === 1 ? draft : structuredClone(copy), options);
    } catch (error) {
      // Another server claimed the value first. The next attempt picks a free value, or rejects the value that the client
      // requested.
      if (!isClaimRace(error)) throw error;
      if (attempt >= claimTries)
        throw conflict(registry.definition, draft.metadata.name ?? '', (error as Error).message);
      await catchUp(registry);
    }
  }
}

async function createOnce(registry: Registry, draft: Draft, options: CreateOptions): Promise<StoredObject> {
  const { services } = registry;
  const { call, strategy } = options;
  const now = formatTime(services.clock.now());
  dedupOwnerReferences(draft, call.warn);
  wipeSystemFields(draft);
  registry.stripEmptyManagedFields(draft);
  if (options.tracked !== true) await registry.trackUpdate(undefined, draft, { call, time: now });
  const attributes = registry.admissionAttributes(call, { operation: 'CREATE', object: draft, old: undefined });
  await services.admission.mutate(attributes);
  checkNamespace(registry, draft, call);
  dedupOwnerReferences(draft, call.warn, ' after mutating admission happens');
  const base = draft.metadata.name ? undefined : draft.metadata.generateName;
  if (base) draft.metadata.name = generateName(base, services.random);
  try {
    beforeCreate(registry, draft, { call, strategy, now });
    for (let attempt = 1; ; attempt++) {
      if (base && attempt > 1) draft.metadata.name = generateName(base, services.random);
      try {
        return await insert(registry, draft, { call, strategy, attributes });
      } catch (error) {
        if (!base || attempt >= generateNameTries || !hasReason(error, 'AlreadyExists')) throw error;
      }
    }
  } catch (error) {
    strategy.abandon?.(draft);
    throw error;
  }
}

/** Drops the system fields that the client sent, before field ownership is recorded. */
function wipeSystemFields({ metadata }: Draft): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
}

/** Rejects a draft whose namespace admission has changed. Removes the namespace of a cluster-scoped object, as upstream does. */
export function checkNamespace({ definition }: Registry, { metadata }: Draft, { namespace }: WriteCall): void {
  if (definition.scope === 'Cluster') delete metadata.namespace;
  if (!metadata.namespace || metadata.namespace === namespace) return;
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function beforeCreate(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy; readonly now: string },
): void {
  const { definition, services } = registry;
  const { call, strategy, now } = options;
  const { metadata } = draft;
  if (definition.scope === 'Namespaced') metadata.namespace = call.namespace;
  if (strategy.generation !== 'none') metadata.generation = 1;
  // Set before the strategy runs: a Job labels its pods with its own UID.
  metadata.uid = services.random.uid();
  metadata.creationTimestamp = now;
  strategy.prepareForCreate?.(draft, registry.strategyContext(call));
}

async function insert(
  registry: Registry,
  draft: Draft,
  options: {
    readonly call: WriteCall;
    readonly strategy: Strategy;
    readonly attributes: ReturnType<Registry['admissionAttributes']>;
  },
): Promise<StoredObject> {
  const { definition, services } = registry;
  const { call, strategy, attributes } = options;
  const object = draft as unknown as KubernetesObject; // the draft is complete now
  validateNew(registry, draft, { call, strategy });
  if (strategy.warnings) for (const text of strategy.warnings(object, undefined)) call.warn(text);
  if (definition.custom) warnOfFinalizers(draft.metadata, undefined, call.warn);
  await call.authorizeCreate?.();
  await services.admission.validate(attributes);
  const name = draft.metadata.name ?? '';
  const key = registry.key(call.namespace, name);
  strategy.prepareForStorage?.(draft);
  const stored = toStorageForm(draft, definition);
  if (call.dryRun) {
    const existing = await services.storage.get(key);
    if (existing) throw nameTaken(registry, name, existing);
    const made = {
      key,
      bytes: encodeRehearsed(stored, draft.metadata.resourceVersion),
      revision: hasVersion(draft) ? Number(draft.metadata.resourceVersion) : 0,
    };
    return services.rehearse?.(made) ?? made;
  }
  if (hasVersion(draft)) throw versionOnCreate();
  try {
    return await commitObject(registry, stored, { key, expected: 0 });
  } catch (error) {
    if (!(error instanceof RevisionMismatchError) || isClaimRace(error)) throw error;
    throw nameTaken(registry, name, await services.storage.get(key));
  }
}

/** Encodes the object of a dry run. Upstream drops a resourceVersion that it cannot parse only when it stores the object. */
function encodeRehearsed(stored: Draft, resourceVersion: string | undefined): Uint8Array {
  if (!resourceVersion || /^\d+$/.test(resourceVersion)) return encodeStored(stored);
  return Buffer.from(stringifyJson({ ...stored, metadata: { ...stored.metadata, resourceVersion } }));
}

/** Reports whether the draft has a resourceVersion that upstream can parse and that is not 0. */
function hasVersion({ metadata }: Draft): boolean {
  return /^\d+$/.test(metadata.resourceVersion ?? '') && !/^0+$/.test(metadata.resourceVersion ?? '');
}

/** Builds the error for a resourceVersion on create. Like the error of upstream's storage, it has no reason. */
function versionOnCreate(): StatusError {
  const message = 'resourceVersion should not be set on objects to be created';
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function validateNew(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy },
): void {
  const { definition } = registry;
  const { strategy } = options;
  const object = draft as unknown as KubernetesObject; // the draft is complete now
  const own = strategy.validate?.(object, registry.strategyContext(options.call)) ?? [];
  const isLast = own.length > 0 && strategy.validatesMetadataLast === true;
  const errors = isLast ? own : [...validateMetadata(draft.metadata, definition), ...own];
  if (errors.length > 0) throw invalid(storedKind(definition), draft.metadata.name ?? '', errors);
}

/** Returns the kind to show in errors about invalid objects: the stored kind, even if the request used another group. */
export function storedKind({ kind, storageApiVersion }: Registry['definition']): {
  readonly group: string;
  readonly kind: string;
} {
  return { group: parseApiVersion(storageApiVersion).group, kind };
}

function nameTaken(registry: Registry, name: string, stored: StoredObject | undefined): Error {
  const error = alreadyExists(registry.definition, name);
  if (stored === undefined || !isDeleting(registry.form.object(stored))) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
