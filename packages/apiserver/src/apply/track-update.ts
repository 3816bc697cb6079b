import { FieldSet, type JsonObject } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import {
  capUpdaters,
  decodeManagers,
  encodeManagers,
  identityOf,
  type ManagedFieldsRecord,
  type Managers,
} from './managers.ts';
import { type Ownership, reconcileManagers, settleOwnership, withoutMeta, withoutReset } from './ownership.ts';

/** A write other than an apply. */
export interface UpdateToTrack extends Ownership {
  /** The stored object; `undefined` for a create. */
  readonly live: JsonObject | undefined;
  /**
   * The object after the request: decoded and defaulted, before admission, because no manager owns what admission changes. The
   * object's own `managedFields` may reset or replace the entries.
   */
  readonly object: JsonObject;
  /** Name of the manager, see {@link defaultManagerName}. */
  readonly manager: string;
  /** `''` for the object itself, otherwise the subresource, e.g. `status`. */
  readonly subresource: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly now: string;
}

/**
 * Computes `metadata.managedFields` after a create, update or patch. Fields that the write added or changed move from
 * all other entries to the manager's `Update` entry; removed fields are removed from all entries. A write that changes
 * nothing changes no entry and no time. If there are more than ten updaters, the oldest are merged into
 * `ancient-changes`.
 *
 * After the entries of a stored object have been cleared, updates are not tracked until the next apply: the result is an empty
 * list (apimachinery 1.36, `util/managedfields`). `[]` and `[{}]` in the request clear the entries.
 */
export function trackUpdate(update: UpdateToTrack): readonly ManagedFieldsRecord[] {
  const { live, object, subresource } = update;
  const managers = startingManagers(live, object, subresource);
  if (managers.size === 0 && live !== undefined) return [];
  recordUpdate(managers, update);
  return encodeManagers(managers);
}

/** Same as {@link trackUpdate}, on decoded managers; changes them in place. */
export function recordUpdate(managers: Managers, update: UpdateToTrack): void {
  const { manager, subresource, apiVersion, now } = update;
  reconcileManagers(managers, update);
  const change = { before: trackable(update.live), after: trackable(update.object), self: '', force: true };
  const { comparison } = settleOwnership(managers, change, update);
  const set = withoutMeta(withoutReset(comparison.modified.union(comparison.added), update));
  if (!set.isEmpty) {
    const self = { manager: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource };
    const id = identityOf(self);
    managers.set(id, { ...self, time: now, set: set.union(managers.get(id)?.set ?? FieldSet.empty) });
  }
  capUpdaters(managers);
}

/** Returns an object without `metadata.managedFields`, which no manager owns; `{}` for undefined. */
export function trackable(object: JsonObject | undefined): JsonObject {
  if (object === undefined) return {};
  const { metadata } = object;
  if (!isRecord(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** Returns the raw entries of an object; `undefined` if it has no such field. */
export function managedFieldsOf(object: JsonObject | undefined): readonly unknown[] | undefined {
  const metadata = object?.['metadata'];
  const entries = isRecord(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

function startingManagers(live: JsonObject | undefined, object: JsonObject, subresource: string): Managers {
  const stored = (): Managers => decodeManagers(managedFieldsOf(live) ?? []) ?? new Map();
  // Entries cannot be set through a subresource.
  if (subresource !== '') return stored();
  const sent = managedFieldsOf(object);
  if (sent === undefined) return stored();
  if (sent.length === 0 || (sent.length === 1 && isRecord(sent[0]) && Object.keys(sent[0]).length === 0)) {
    return new Map();
  }
  const managers = decodeManagers(sent, 'request');
  // Clients that do not support managed fields must not delete them by accident.
  return managers === undefined || managers.size === 0 ? stored() : managers;
}
