import { FieldSet } from '@kubewright/apimachinery/internal';
import { isRecord, setOwn } from '@kubewright/schema/internal';
import type { ApplyType } from './apply-type.ts';
import { fieldSetOf } from './field-set-of.ts';
import type { Manager, Managers } from './managers.ts';
import type { Ownership } from './ownership.ts';
import { removeItems, withNamedFields } from './remove-items.ts';

/** The input of {@link pruneDropped}. */
export interface Pruning {
  /** All managers, including the applier with its new set. */
  readonly managers: Managers;
  /** The applier's entry before this apply. */
  readonly last: Manager;
  readonly ownership: Ownership;
}

/**
 * Removes the fields from a merged object that the manager applied last time and that have no owner now. Fields that were never
 * applied stay. Works on field sets in the API version of the last apply; the steps are upstream's `RemoveItems`,
 * `addBackOwnedItems` and `addBackDanglingItems` (`structured-merge-diff` v6, `merge/update.go`).
 *
 * A list or map that loses all its content becomes null in the result, so that its owners keep it. See {@link withoutNewNulls}.
 */
export function pruneDropped(merged: unknown, { managers, last, ownership }: Pruning): unknown {
  const versions = new Versions(ownership);
  const type = versions.typeOf(last.apiVersion);
  if (type === undefined || last.set.isEmpty) return merged;
  const owned = ownedByVersion(managers);
  const here = owned.get(last.apiVersion) ?? FieldSet.empty;
  // Everything that was applied is still owned, so there is nothing to remove.
  if (last.set.difference(here).isEmpty) return merged;
  const before = versions.convert(merged, ownership.apiVersion, last.apiVersion);
  const setOf = (object: unknown): FieldSet => withNamedFields(type, fieldSetOf(type, object ?? {}));
  const lastSet = withNamedFields(type, last.set);
  const mergedSet = setOf(before);
  let pruned = removeItems(type, before, lastSet);
  pruned = keepOwned(type, { merged: before, pruned, owned: here });
  owned.delete(last.apiVersion);
  for (const [version, set] of owned) {
    const other = versions.typeOf(version);
    if (other === undefined) continue;
    const kept = keepOwned(other, {
      merged: versions.convert(before, last.apiVersion, version),
      pruned: versions.convert(pruned ?? {}, last.apiVersion, version),
      owned: set,
    });
    pruned = versions.convert(kept, version, last.apiVersion);
  }
  const gone = mergedSet.difference(setOf(pruned)).intersection(lastSet);
  return versions.convert(removeItems(type, before, gone), last.apiVersion, ownership.apiVersion);
}

function ownedByVersion(managers: Managers): Map<string, FieldSet> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values()) {
    owned.set(apiVersion, owned.get(apiVersion)?.union(set) ?? set);
  }
  return owned;
}

/** Returns the merged object without the fields that pruning removed and that have no owner. */
function keepOwned(
  type: ApplyType,
  { merged, pruned, owned }: { readonly merged: unknown; readonly pruned: unknown; readonly owned: FieldSet },
): unknown {
  const all = withNamedFields(type, fieldSetOf(type, merged));
  const keep = withNamedFields(type, fieldSetOf(type, pruned ?? {})).union(withNamedFields(type, owned));
  return removeItems(type, merged, all.difference(keep));
}

/** Drops the nulls that {@link pruneDropped} leaves: decoding drops them for built-in kinds, so clients never see them. */
export function withoutNewNulls(value: unknown, before: unknown): unknown {
  if (value === before) return value;
  if (Array.isArray(value)) {
    return Array.isArray(before) && before.length === value.length
      ? value.map((item, i) => withoutNewNulls(item, before[i]))
      : value;
  }
  if (!isRecord(value) || !isRecord(before)) return value;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (value[key] === null && before[key] !== null) continue;
    setOwn(result, key, withoutNewNulls(value[key], before[key]));
  }
  return result;
}

class Versions {
  private readonly ownership: Ownership;

  constructor(ownership: Ownership) {
    this.ownership = ownership;
  }

  typeOf(apiVersion: string): ApplyType | undefined {
    return apiVersion === this.ownership.apiVersion
      ? this.ownership.type
      : this.ownership.otherVersion?.(apiVersion)?.type;
  }

  convert(object: unknown, from: string, to: string): unknown {
    if (from === to) return object;
    const { apiVersion, otherVersion } = this.ownership;
    const own = from === apiVersion ? object : otherVersion?.(from)?.convertBack(object);
    return to === apiVersion ? own : otherVersion?.(to)?.convert(own);
  }
}
