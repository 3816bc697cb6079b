import { badRequest, type KubernetesObject, parseApiVersion, StatusError } from '@kubewright/apimachinery';
import { formatTime, type JsonObject, stringifyJson } from '@kubewright/apimachinery/internal';
import { BodyReadError, type ParsedBody, parseYaml } from '@kubewright/schema';
import { builtinSchema, DecodeError, decodeValue } from '@kubewright/schema/internal';
import { unknownFailure } from '../http/failures.ts';
import type { StoredObject } from '../storage/storage.ts';
import type { WriteCall } from './call.ts';
import { checkObjectKey, decodeDraft } from './decode-draft.ts';
import { applyPatchBody, type PatchType, readPatchBody } from './patch-body.ts';
import type { WriteOptions } from './query-options.ts';
import type { Registry } from './registry.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { goText, strategicDetail, withoutUnmatchedNulls } from './strategic-fault.ts';
import type { Draft, Strategy } from './strategy.ts';
import { type Updated, updateObject } from './update.ts';

/** A patch as the client sent it. */
export interface PatchRequest {
  readonly type: PatchType;
  readonly bytes: Uint8Array;
  readonly options: WriteOptions;
  readonly strategy: Strategy;
}

/**
 * Patches an object: reads, changes and writes it, and retries if another write came first. Mirrors `patchResource`
 * (1.36).
 */
export async function patchObject(registry: Registry, call: WriteCall, patch: PatchRequest): Promise<Updated> {
  const { strategy } = patch;
  if (patch.type === 'apply') return applyObject(registry, call, patch);
  const { duplicates, change } = readPatch(registry, patch);
  const transform = (_live: KubernetesObject | undefined, stored: StoredObject | undefined): Draft => {
    // Only an apply can create an object, so for other patches the object exists.
    const draft = registry.form.draft(stored as StoredObject);
    return decodePatched(registry, change(draft), { call, patch, duplicates, stored: draft });
  };
  return updateObject(registry, transform, { call, strategy: { ...strategy, allowCreateOnUpdate: false } });
}

/**
 * Decodes a patched object.
 *
 * @throws StatusError 422 if it does not match the kind's schema, 400 if it names another object
 */
export function decodePatched(
  { definition }: Pick<Registry, 'definition'>,
  value: unknown,
  parts: {
    readonly call: WriteCall;
    readonly patch: PatchRequest;
    readonly duplicates: readonly string[];
    readonly stored: Draft;
  },
): Draft {
  const { call, patch, duplicates, stored } = parts;
  const { fieldValidation } = patch.options;
  const body: ParsedBody = { value, duplicates: [], format: 'json' };
  const unknown: string[] = patch.options.fieldValidation === 'Ignore' ? [] : [...duplicates];
  let draft: Draft;
  try {
    draft = decodeDraft(body, {
      definition,
      strategy: patch.strategy,
      fieldValidation: fieldValidation === 'Ignore' ? 'Ignore' : 'Warn',
      fromUnstructured: patch.type === 'strategic',
      warn: (text) => unknown.push(text),
    });
  } catch (error) {
    if (!(error instanceof StatusError) || error.httpStatus !== 400) throw error;
    if (patch.type !== 'strategic') throw invalidPatch(stringifyJson(value), firstFault(value, { definition, error }));
    throw invalidPatch(shownPatch(patch, stored), strategicDetail(error.cause, detailOf(error)));
  }
  if (unknown.length > 0 && fieldValidation === 'Strict') {
    const shown = patch.type === 'strategic' ? shownPatch(patch, stored) : stringifyJson(value);
    throw invalidPatch(shown, `strict decoding error: ${unknown.join(', ')}`);
  }
  for (const text of unknown) call.warn(text);
  checkObjectKey(draft, definition, call);
  return draft;
}

function detailOf(error: StatusError): string {
  return error.message.replace(/^.* cannot be handled as an? \S+: /, '');
}

/**
 * Returns the first fault in key order: upstream decodes the patched object from JSON with sorted keys and stops at the first
 * fault.
 */
function firstFault(
  value: unknown,
  { definition, error }: { readonly definition: ResourceDefinition; readonly error: StatusError },
): string {
  if (definition.decode || !(error.cause instanceof DecodeError)) return detailOf(error);
  try {
    decodeValue(definition.schema, sortedKeys(value));
  } catch (fault) {
    if (fault instanceof DecodeError) return fault.message;
    throw fault;
  }
  return detailOf(error);
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortedKeys(item)]));
}

function shownPatch({ type, bytes }: PatchRequest, stored: Draft): string {
  return goText(withoutUnmatchedNulls(readPatchBody(type, bytes).value, stored));
}

/**
 * Builds the error for a patch with an invalid result. Like upstream's error, it names no kind and shows the whole patched object
 * or, for a strategic merge patch, the patch itself.
 */
function invalidPatch(shown: string, detail: string): StatusError {
  const message = `Invalid value: ${stringifyJson(shown)}: ${detail}`;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: ` "" is invalid: patch: ${message}`,
    reason: 'Invalid',
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
    code: 422,
  });
}

function readPatch(
  registry: Registry,
  { type, bytes }: PatchRequest,
): { readonly duplicates: readonly string[]; change(draft: Draft): unknown } {
  const { value: patch, duplicates } = readPatchBody(type, bytes);
  return {
    duplicates,
    change: (draft) => applyPatchBody(draft, { type, patch, schema: registry.definition.schema }),
  };
}

async function applyObject(registry: Registry, call: WriteCall, patch: PatchRequest): Promise<Updated> {
  const { services, definition } = registry;
  const sent = readConfiguration(registry, call, patch);
  const force = patch.options.force === true;
  const transform = async (live: KubernetesObject | undefined): Promise<Draft> => {
    const time = formatTime(services.clock.now());
    const { manager, subresource } = call;
    // A missing object is reported first.
    const applied = checkedConfiguration(registry, call, sent);
    const result = await registry.ownership.apply(live, applied, { manager, subresource, time, force });
    // Objects converted by a webhook lack this version's defaults. Adding them here would change an unchanged object.
    if (!result.changed && definition.converter !== undefined) return result.draft;
    const draft = decodeApplied(result.draft, { definition, applied, patch, warn: call.warn });
    checkObjectKey(draft, definition, call);
    return draft;
  };
  const { strategy } = patch;
  const createIfMissing = call.subresource === '' || strategy.allowCreateOnApply;
  return updateObject(registry, transform, { call, strategy, createIfMissing, tracked: true });
}

/** Decodes the merged object. Upstream reports a value of the wrong type as a server error (500). */
function decodeApplied(
  value: unknown,
  {
    definition,
    applied,
    patch,
    warn,
  }: {
    readonly definition: ResourceDefinition;
    readonly applied: JsonObject;
    readonly patch: PatchRequest;
    warn(text: string): void;
  },
): Draft {
  const body: ParsedBody = { value, duplicates: [], format: 'json' };
  try {
    const { strategy } = patch;
    return decodeDraft(body, { definition, strategy, fieldValidation: 'Ignore', fromUnstructured: true, warn });
  } catch (error) {
    if (!(error instanceof StatusError) || !(error.cause instanceof DecodeError)) throw error;
    throw inconvertible(applied, { definition, detail: strategicDetail(error.cause, detailOf(error)) });
  }
}

function inconvertible(
  applied: JsonObject,
  { definition, detail }: { readonly definition: ResourceDefinition; readonly detail: string },
): StatusError {
  const { group, version, kind } = definition;
  const { namespace = '', name = '' } = (applied['metadata'] ?? {}) as { namespace?: string; name?: string };
  const type = `${group}/${version}, Kind=${kind}`;
  const head = `failed to convert new object (${namespace}/${name}; ${type}) to proper version`;
  return unknownFailure(`${head}: unable to convert unstructured object to ${type}: ${detail}`);
}

/** Reads and validates the configuration of an apply. */
function readConfiguration(registry: Registry, call: WriteCall, patch: PatchRequest): JsonObject {
  const { definition } = registry;
  let body: ParsedBody;
  try {
    body = parseYaml(patch.bytes);
  } catch (error) {
    if (!(error instanceof BodyReadError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`, { cause: error });
  }
  const { value } = body;
  if (typeof value !== 'object' || Array.isArray(value)) {
    const what = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    const fault = `json: cannot unmarshal ${what} into Go value of type map[string]interface {}`;
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${fault}`);
  }
  const applied = withoutNullMetadata((value ?? {}) as JsonObject);
  const [kind, apiVersion] = [textIn(applied, 'kind'), textIn(applied, 'apiVersion')];
  const { group, version } = parseApiVersion(apiVersion);
  if (kind !== definition.kind || group !== definition.group || version !== definition.version) {
    throw badRequest(`invalid object type: ${group}/${version}, Kind=${kind}`);
  }
  if (body.duplicates.length > 0 && patch.options.fieldValidation !== 'Ignore') {
    if (patch.options.fieldValidation === 'Strict') {
      throw badRequest(`error strict decoding YAML: ${body.duplicates.join(', ')}`);
    }
    for (const text of body.duplicates) call.warn(text);
  }
  return applied;
}

/** Checks a configuration against the kind's schema and the URL. Returns it without managed fields that upstream ignores. */
function checkedConfiguration(registry: Registry, call: WriteCall, applied: JsonObject): JsonObject {
  const { definition } = registry;
  const { metadata } = applied;
  const entries = isObject(metadata) ? metadata['managedFields'] : undefined;
  const judged = judgeEntries(entries);
  if (judged === 'forbidden') throw badRequest('metadata.managedFields must be nil');
  registry.ownership.check(applied);
  if (metadata !== undefined && (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))) {
    throw badRequest('error decoding YAML: metadata is not an object');
  }
  checkAppliedKey({ kind: '', apiVersion: '', metadata: { ...(metadata as object | undefined) } }, definition, call);
  if (judged instanceof DecodeError) throw inconvertible(applied, { definition, detail: judged.message });
  if (!isObject(metadata) || entries === undefined) return applied;
  const { managedFields: _ignored, ...rest } = metadata;
  return { ...applied, metadata: rest };
}

/**
 * Returns what happens to the managed fields of a configuration, which must not contain any. Upstream ignores values of other types,
 * and reports entries that it cannot decode after it has merged them.
 */
function judgeEntries(entries: unknown): 'forbidden' | 'ignored' | DecodeError {
  if (!Array.isArray(entries) || !entries.every(isObject)) return 'ignored';
  const entry = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry');
  try {
    for (const one of entries) if (entry) decodeValue(entry, one);
    return 'forbidden';
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Upstream ignores metadata that is null. */
function withoutNullMetadata(applied: JsonObject): JsonObject {
  if (applied['metadata'] !== null) return applied;
  return { ...applied, metadata: {} };
}

/** Returns a string field or, like Go's unstructured objects, an empty string if the field is missing or not a string. */
function textIn(object: JsonObject, field: 'kind' | 'apiVersion'): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}

/** Checks the name and namespace of an applied configuration. A configuration for an existing object may omit both. */
function checkAppliedKey({ metadata }: Draft, definition: ResourceDefinition, call: WriteCall): void {
  if (metadata.name) checkObjectKey({ kind: '', apiVersion: '', metadata: { ...metadata } }, definition, call);
}
