import {
  alreadyExists,
  badRequest,
  hasReason,
  invalid,
  isDeleting,
  type KubernetesObject,
  StatusError,
} from '@kubewright/apimachinery';
import { formatTime } from '@kubewright/apimachinery/internal';
import { RevisionMismatchError, type StoredObject } from '../storage/storage.ts';
import type { WriteCall } from './call.ts';
import { commitObject } from './commit-object.ts';
import { GENERATE_NAME_TRIES, generateName } from './generate-name.ts';
import { validateMetadata, warnOfFinalizers } from './metadata-validation.ts';
import { dedupOwnerReferences } from './owner-references.ts';
import type { Registry } from './registry.ts';
import { encodeStored, toStorageForm } from './served-form.ts';
import type { Draft, Strategy } from './strategy.ts';

/** Creates objects: names, system fields, admission, validation, storage. Mirrors `Store.Create` (1.36). */
export async function createObject(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy; readonly tracked?: boolean },
): Promise<StoredObject> {
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
        if (!base || attempt >= GENERATE_NAME_TRIES || !hasReason(error, 'AlreadyExists')) throw error;
      }
    }
  } catch (error) {
    strategy.abandon?.(draft);
    throw error;
  }
}

/** Drops the client's values for these fields before anything records their ownership. */
function wipeSystemFields({ metadata }: Draft): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata['selfLink'];
}

/** Rejects a draft that admission or a strategy moved to another namespace. */
export function checkNamespace({ definition }: Registry, { metadata }: Draft, { namespace }: WriteCall): void {
  if (definition.scope === 'Cluster' || !metadata.namespace || metadata.namespace === namespace) return;
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
  if (metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
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
  const stored = toStorageForm(draft, definition);
  if (call.dryRun) {
    const existing = await services.storage.get(key);
    if (existing) throw nameTaken(registry, name, existing);
    const made = { key, bytes: encodeStored(stored, ''), revision: 0 };
    return services.rehearse?.(made) ?? made;
  }
  try {
    return await commitObject(registry, stored, { key, expected: 0 });
  } catch (error) {
    if (!(error instanceof RevisionMismatchError)) throw error;
    throw nameTaken(registry, name, await services.storage.get(key));
  }
}

function validateNew(
  registry: Registry,
  draft: Draft,
  options: { readonly call: WriteCall; readonly strategy: Strategy },
): void {
  const { definition } = registry;
  const errors = validateMetadata(draft.metadata, definition);
  const object = draft as unknown as KubernetesObject; // the draft is complete now
  const own = options.strategy.validate?.(object, registry.strategyContext(options.call));
  if (own && own.length > 0) errors.push(...own);
  if (errors.length > 0) throw invalid(definition, draft.metadata.name ?? '', errors);
}

function nameTaken(registry: Registry, name: string, stored: StoredObject | undefined): Error {
  const error = alreadyExists(registry.definition, name);
  if (stored === undefined || !isDeleting(registry.form.object(stored))) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
