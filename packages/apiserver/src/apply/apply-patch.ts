import { type JsonObject, sameJson } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import { textOf } from '../text-of.ts';
import { ApplyConflictError } from './apply-conflict-error.ts';
import { ApplyRequestError } from './apply-request-error.ts';
import type { ApplyType } from './apply-type.ts';
import { checkApplied } from './check-applied.ts';
import { fieldSetOf } from './field-set-of.ts';
import { allowedByLastApplied, kubectl, withLastApplied } from './last-applied.ts';
import { ElementError } from './list-elements.ts';
import {
  decodeManagers,
  encodeManagers,
  identityOf,
  type ManagedFieldsRecord,
  type Manager,
  type Managers,
} from './managers.ts';
import { mergeObjects } from './merge.ts';
import {
  type OwnedByOther,
  type Ownership,
  reconcileManagers,
  settleOwnership,
  withoutMeta,
  withoutReset,
} from './ownership.ts';
import { pruneDropped, withoutNewNulls } from './prune-dropped.ts';
import { managedFieldsOf, recordUpdate, trackable } from './track-update.ts';

/** A server-side apply request. */
export interface ApplyRequest extends Ownership {
  /** The stored object, in the request's version; `undefined` if the object does not exist and is created. */
  readonly live: JsonObject | undefined;
  /** The configuration: only the fields that the manager wants to own. */
  readonly applied: JsonObject;
  /** The kind that the endpoint serves; the configuration must be of this kind. Not checked if absent. */
  readonly kind?: string | undefined;
  readonly manager: string;
  /** Takes over fields from other managers instead of failing. @defaultValue false */
  readonly force?: boolean | undefined;
  readonly subresource: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly now: string;
}

/** The result of {@link applyPatch}. */
export interface Applied {
  /** The merged object without `managedFields`, before defaulting and admission. The live object itself if nothing changed. */
  readonly object: JsonObject;
  readonly managedFields: readonly ManagedFieldsRecord[];
  /** False if the object is unchanged. The entries may still have changed, but not their times. */
  readonly changed: boolean;
}

/**
 * Applies a configuration as the API server does (1.36): merges it, removes the fields that this manager has dropped from its
 * configuration and that no other manager owns, finds conflicts, and computes the new entries. Lists and maps merge as the type
 * declares; applying the same configuration again changes nothing.
 *
 * Decoding, defaulting and admission of the result come later; as in upstream, no manager owns the fields that these steps
 * change.
 *
 * @throws {@link ApplyConflictError} if other managers own fields that would change; {@link ApplyRequestError} for an
 * invalid configuration.
 */
export function applyPatch(request: ApplyRequest): Applied {
  checkRequest(request);
  try {
    return request.manager === kubectl ? applyAsKubectl(request) : applyOnce(request);
  } catch (error) {
    throw error instanceof ElementError ? invalidLive(request, error) : error;
  }
}

/** Applies a configuration as kubectl, and records it in the annotation that client-side applies use. */
function applyAsKubectl(request: ApplyRequest): Applied {
  const result = applyOrTakeOver(request);
  const object = withLastApplied(result.object, request.applied);
  return object === result.object ? result : { ...result, object };
}

/** Applies a configuration as kubectl, which may take over the fields of its earlier client-side applies. */
function applyOrTakeOver(request: ApplyRequest): Applied {
  try {
    return applyOnce(request);
  } catch (error) {
    if (!(error instanceof ApplyConflictError) || request.live === undefined) throw error;
    const allowed = allowedByLastApplied(request.live, request);
    if (allowed === undefined) throw error;
    const left: OwnedByOther[] = [];
    for (const owned of error.owned) {
      const fields = owned.fields.difference(allowed);
      if (!fields.isEmpty) left.push({ ...owned, fields });
    }
    if (left.length > 0) throw new ApplyConflictError(left);
    return applyOnce({ ...request, force: true });
  }
}

function checkRequest({ applied, apiVersion, kind, type }: ApplyRequest): void {
  if (applied['apiVersion'] !== apiVersion || (kind !== undefined && applied['kind'] !== kind)) {
    throw new ApplyRequestError(`invalid object type: ${describeKind(applied)}`, 400);
  }
  if (managedFieldsOf(applied) !== undefined) {
    throw new ApplyRequestError('metadata.managedFields must be nil', 400);
  }
  checkConfiguration(type, applied);
}

/**
 * Checks that a configuration matches its type.
 *
 * @throws {@link ApplyRequestError}
 */
export function checkConfiguration(type: ApplyType, applied: JsonObject): void {
  const fault = checkApplied(type, applied);
  if (fault === undefined) return;
  throw new ApplyRequestError(`failed to create typed patch object (${describeObject(applied)}): ${fault}`, 500);
}

/**
 * Returns the error for a stored object with a list element that lacks its keys. Updates accept such elements, but no apply
 * succeeds until the element is fixed.
 */
function invalidLive({ type, live = {} }: ApplyRequest, cause: ElementError): ApplyRequestError {
  const fault = checkApplied(type, live, { allowsDuplicates: true }) ?? cause.message;
  const object = describeObject(live);
  // If no manager owns a field, upstream fails earlier: when it gives all fields to a manager.
  const message =
    managedFieldsOf(live) === undefined
      ? `failed to create manager for existing fields: failed to convert new object (${object}) to smd typed: ${fault}`
      : `failed to create typed live object (${object}): ${fault}`;
  return new ApplyRequestError(message, 500, { cause });
}

/** Formats `default/web; apps/v1, Kind=Deployment`, as upstream names objects in messages. */
function describeObject(object: JsonObject): string {
  const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
  const text = (field: string): string => (typeof metadata[field] === 'string' ? metadata[field] : '');
  return `${text('namespace')}/${text('name')}; ${describeKind(object)}`;
}

/** Formats `apps/v1, Kind=Deployment`; the core group's name is empty: `/v1, Kind=Pod`. */
function describeKind(object: JsonObject): string {
  const version = typeof object['apiVersion'] === 'string' ? object['apiVersion'] : '';
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOf(object['kind'] ?? '')}`;
}

function applyOnce(request: ApplyRequest): Applied {
  const { type, apiVersion, manager, subresource, now, applied } = request;
  const managers = decodeManagers(managedFieldsOf(request.live) ?? []) ?? new Map<string, Manager>();
  const live = trackable(request.live);
  if (managers.size === 0 && request.live !== undefined) {
    recordUpdate(managers, { ...request, live: undefined, object: live, manager: 'before-first-apply' });
  }
  reconcileManagers(managers, request);
  const self = { manager: manager === '' ? 'unknown' : manager, operation: 'Apply', apiVersion, subresource };
  const id = identityOf(self);
  const last = managers.get(id);
  const set = withoutReset(fieldSetOf(type, applied), request);
  managers.set(id, { ...self, time: last?.time, set });
  const merged = mergeObjects(type, live, applied);
  const pruned = last === undefined ? merged : pruneDropped(merged, { managers, last, ownership: request });
  const change = { before: live, after: plain(pruned), self: id, force: request.force === true };
  const { conflicts } = settleOwnership(managers, change, request);
  if (conflicts.length > 0) throw new ApplyConflictError(conflicts);
  const object = plain(withoutNewNulls(pruned, merged));
  const changed = !sameJson(live, object);
  finish(managers, { id, changed, now });
  return { object: changed ? object : live, managedFields: encodeManagers(managers), changed };
}

function plain(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function finish(
  managers: Managers,
  { id, changed, now }: { readonly id: string; readonly changed: boolean; readonly now: string },
): void {
  const own = managers.get(id);
  if (own === undefined) return;
  const set = withoutMeta(own.set);
  if (set.isEmpty) managers.delete(id);
  else managers.set(id, { ...own, set, time: changed ? now : own.time });
}
