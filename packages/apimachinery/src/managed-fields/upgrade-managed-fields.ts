import { sameJson } from '../json/same-json.ts';
import type { KubernetesObject, ManagedFieldsEntry } from '../object/kubernetes-object.ts';
import { FieldSet } from './field-set.ts';

/** Options for {@link upgradeManagedFields}. */
interface UpgradeManagedFieldsOptions {
  /** Managers whose `Update` entries are migrated, such as `kubectl-client-side-apply`. */
  readonly from: readonly string[];
  /** The manager that applies the object; can also be listed in `from`. */
  readonly to: string;
  /** The subresource of the entries. @defaultValue the object itself */
  readonly subresource?: string;
}

/**
 * Migrates field ownership from `Update` to `Apply`: returns managed fields in which everything that the managers in
 * `from` own by update belongs to `to` by apply. The next apply then removes fields that it no longer declares. Without
 * the migration, these fields stay forever, because their former manager still owns them. Drops `Update` entries whose
 * API version differs from that of the resulting `Apply` entry.
 *
 * Mirrors `csaupgrade.UpgradeManagedFields` of client-go 0.36.
 *
 * @example
 * const managedFields = upgradeManagedFields(object, { from: ['kubectl-client-side-apply'], to: 'kubectl' });
 * @throws FieldSetError if the fields of a migrated entry are malformed.
 */
export function upgradeManagedFields(
  object: KubernetesObject,
  options: UpgradeManagedFieldsOptions,
): readonly ManagedFieldsEntry[] {
  const { from, to, subresource } = options;
  let entries = object.metadata.managedFields ?? [];
  for (const manager of from) entries = upgraded(entries, { manager, to, subresource });
  return entries;
}

/**
 * Returns the JSON patch that stores the result of {@link upgradeManagedFields}, or undefined if there is nothing to migrate. The
 * patch contains the object's resourceVersion, so a concurrent change causes a conflict: read again and retry.
 *
 * Mirrors `csaupgrade.UpgradeManagedFieldsPatch`.
 *
 * @example
 * const body = upgradeManagedFieldsPatch(configMap, { from: ['my-operator'], to: 'my-operator' }); if (body) await
 * configMaps.patch(configMap.metadata, { type: 'json', body });
 */
export function upgradeManagedFieldsPatch(
  object: KubernetesObject,
  options: UpgradeManagedFieldsOptions,
): readonly { readonly op: 'replace'; readonly path: string; readonly value: unknown }[] | undefined {
  const value = upgradeManagedFields(object, options);
  if (sameJson(value, object.metadata.managedFields ?? [])) return undefined;
  return [
    { op: 'replace', path: '/metadata/managedFields', value },
    // Uses `replace`, not `test`, because the API server reports a failed `test` as an invalid request, not as a
    // conflict.
    { op: 'replace', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
  ];
}

interface Migration {
  readonly manager: string;
  readonly to: string;
  readonly subresource: string | undefined;
}

function upgraded(
  entries: readonly ManagedFieldsEntry[],
  { manager, to, subresource = '' }: Migration,
): readonly ManagedFieldsEntry[] {
  const isOf = (entry: ManagedFieldsEntry, name: string, operation: 'Apply' | 'Update'): boolean =>
    entry.manager === name && entry.operation === operation && (entry.subresource ?? '') === subresource;
  const isUpdate = (entry: ManagedFieldsEntry): boolean => isOf(entry, manager, 'Update');
  const updates = entries.filter(isUpdate);
  // The server lists the most recent entry first.
  const [latest] = updates;
  if (!latest) return entries;
  const applied = entries.find((entry) => isOf(entry, to, 'Apply'));
  const target = applied ?? latest;
  const same = updates.find(({ apiVersion }) => apiVersion === target.apiVersion);
  const fields = FieldSet.parse(target.fieldsV1 ?? {});
  const all = same ? fields.union(FieldSet.parse(same.fieldsV1 ?? {})) : fields;
  const merged: ManagedFieldsEntry = { ...target, manager: to, operation: 'Apply', fieldsV1: all.toFieldsV1() };
  return entries.flatMap((entry) => {
    if (entry === target) return [merged];
    return isUpdate(entry) ? [] : [entry];
  });
}
