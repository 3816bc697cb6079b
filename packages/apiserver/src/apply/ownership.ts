import { FieldSet } from '@kubewright/apimachinery/internal';
import { isRecord } from '@kubewright/schema/internal';
import { type KindType, withZero } from './apply-type.ts';
import { type Comparison, compareObjects } from './compare.ts';
import type { Manager, Managers } from './managers.ts';
import { reconcileWithSchema } from './reconcile-schema.ts';

/** The type of a kind in another API version, with the conversions to and from that version. */
export interface VersionView {
  readonly type: KindType;
  readonly convert: (object: unknown) => unknown;
  readonly convertBack: (object: unknown) => unknown;
}

/** Describes the kind of a written object, for tracking the owners of its fields. */
export interface Ownership {
  readonly type: KindType;
  /** Group and version of the request, e.g. `apps/v1`. */
  readonly apiVersion: string;
  /**
   * Returns another version of the kind, for entries in that version; `undefined` for a version that no longer exists, whose
   * entries are dropped.
   */
  readonly otherVersion?: ((apiVersion: string) => VersionView | undefined) | undefined;
  /** Fields that the endpoint resets, with everything below them; they have no owners and cause no conflicts. */
  readonly resetFields?: FieldSet | undefined;
}

const stripped = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation', 'managedFields'].map(
    (name) => ['f:metadata', `f:${name}`],
  ),
  ['f:metadata', 'f:resourceVersion'],
);

/** Removes fields that cannot be owned: identity, versions, times. */
export function withoutMeta(set: FieldSet): FieldSet {
  return set.difference(stripped);
}

export function withoutReset(set: FieldSet, { resetFields }: Ownership): FieldSet {
  return resetFields === undefined || set.isEmpty ? set : set.recursiveDifference(resetFields);
}

/** Same as {@link compareObjects}, without the fields that the endpoint resets. */
function compareOwned(before: unknown, after: unknown, ownership: Ownership): Comparison {
  const { type } = ownership;
  const filled = (object: unknown): unknown => (isRecord(object) ? withZero(type.zero, object) : object);
  const { added, modified, removed } = compareObjects(type, filled(before), filled(after));
  return {
    added: withoutReset(added, ownership),
    modified: withoutReset(modified, ownership),
    removed: withoutReset(removed, ownership),
  };
}

/** Reconciles all sets with the current schema and drops entries of versions that no longer exist. */
export function reconcileManagers(managers: Managers, ownership: Ownership): void {
  for (const [id, manager] of managers) {
    const type = typeOfVersion(manager.apiVersion, ownership);
    if (type === undefined) {
      managers.delete(id);
      continue;
    }
    const set = reconcileWithSchema(type, manager.set);
    if (set !== manager.set) managers.set(id, { ...manager, set });
  }
}

function typeOfVersion(apiVersion: string, ownership: Ownership): KindType | undefined {
  return apiVersion === ownership.apiVersion ? ownership.type : ownership.otherVersion?.(apiVersion)?.type;
}

/** Fields that other managers own and that a write would change. */
export interface OwnedByOther {
  readonly id: string;
  readonly manager: Manager;
  readonly fields: FieldSet;
}

/**
 * Finds the fields that a write removes and the conflicts of the write with other managers. Updates the sets of all
 * managers: drops the removed fields and, with `force`, the contested fields. Drops managers that no longer own any
 * field.
 */
export function settleOwnership(
  managers: Managers,
  change: { readonly before: unknown; readonly after: unknown; readonly self: string; readonly force: boolean },
  ownership: Ownership,
): { readonly comparison: Comparison; readonly conflicts: readonly OwnedByOther[] } {
  const comparison = compareOwned(change.before, change.after, ownership);
  const views = new Map<string, Comparison | undefined>([[ownership.apiVersion, comparison]]);
  const conflicts: OwnedByOther[] = [];
  const removals: (readonly [string, FieldSet])[] = [];
  for (const [id, manager] of managers) {
    if (id === change.self) continue;
    const view = viewOf(manager.apiVersion, { views, change, ownership });
    if (view === undefined) {
      managers.delete(id);
      continue;
    }
    const fields = manager.set.intersection(view.modified.union(view.added));
    if (!fields.isEmpty) conflicts.push({ id, manager, fields });
    if (!view.removed.isEmpty) removals.push([id, view.removed]);
  }
  if (!change.force && conflicts.length > 0) return { comparison, conflicts };
  for (const { id, fields } of conflicts) take(managers, id, fields);
  for (const [id, removed] of removals) take(managers, id, removed);
  for (const [id, manager] of managers) if (manager.set.isEmpty) managers.delete(id);
  return { comparison, conflicts: [] };
}

function take(managers: Managers, id: string, fields: FieldSet): void {
  const manager = managers.get(id);
  if (manager !== undefined) managers.set(id, { ...manager, set: manager.set.difference(fields) });
}

function viewOf(
  apiVersion: string,
  {
    views,
    change,
    ownership,
  }: {
    readonly views: Map<string, Comparison | undefined>;
    readonly change: { readonly before: unknown; readonly after: unknown };
    readonly ownership: Ownership;
  },
): Comparison | undefined {
  if (views.has(apiVersion)) return views.get(apiVersion);
  const other = ownership.otherVersion?.(apiVersion);
  const view =
    other === undefined
      ? undefined
      : compareOwned(other.convert(change.before), other.convert(change.after), { ...ownership, type: other.type });
  views.set(apiVersion, view);
  return view;
}
