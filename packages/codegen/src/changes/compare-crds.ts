import type { Crd, CrdVersion } from '../crd/crd.ts';
import { Changes, type CrdChange, type CrdChangeKind } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';

/**
 * Lists the differences between two states of a CRD. Breaking changes come first, then safe ones. Each version is compared
 * with the version of the same name. If nothing changed, the list is empty.
 *
 * @example
 * ```ts
 * const breaking: readonly CrdChange[] = compareCrds(released, current).filter(({ severity }) => severity === 'breaking');
 * ```
 */
export function compareCrds(before: Crd, after: Crd): readonly CrdChange[] {
  const changes = new Changes();
  compareNames(before, after, changes);
  const found = [...changes.list];
  for (const version of before.spec.versions) {
    const next = after.spec.versions.find(({ name }) => name === version.name);
    if (next === undefined) {
      const own = new Changes(version.name);
      own.add('version-removed', '', 'was removed');
      found.push(...own.list);
    } else found.push(...compareVersions(version, next));
  }
  for (const { name } of after.spec.versions) {
    if (before.spec.versions.some((version) => version.name === name)) continue;
    const own = new Changes(name);
    own.add('version-added', '', 'was added');
    found.push(...own.list);
  }
  return found.sort((a, b) => Number(a.severity === 'safe') - Number(b.severity === 'safe'));
}

function compareNames(before: Crd, after: Crd, changes: Changes): void {
  const compare = (kind: CrdChangeKind, words: string, old: unknown, now: unknown): void => {
    if (old !== now) changes.add(kind, '', `${words} changed from ${String(old)} to ${String(now)}`);
  };
  const [old, now] = [before.spec, after.spec];
  compare('group-changed', 'the group', old.group, now.group);
  compare('kind-changed', 'the kind', old.names.kind, now.names.kind);
  compare('plural-changed', 'the plural name', old.names.plural, now.names.plural);
  compare('scope-changed', 'the scope', old.scope, now.scope);
  const singular = ({ names }: Crd['spec']): string => names.singular ?? names.kind.toLowerCase();
  compare('singular-changed', 'the singular name', singular(old), singular(now));
  const shortNames = { words: 'short name', kinds: ['short-name-removed', 'short-name-added'] } as const;
  compareLists([old.names.shortNames, now.names.shortNames], shortNames, changes);
  const categories = { words: 'category', kinds: ['category-removed', 'category-added'] } as const;
  compareLists([old.names.categories, now.names.categories], categories, changes);
  const stored = ({ versions }: Crd['spec']): string | undefined => versions.find(({ storage }) => storage)?.name;
  compare('storage-version-changed', 'the storage version', stored(old), stored(now));
}

function compareLists(
  [old = [], now = []]: readonly [readonly string[] | undefined, readonly string[] | undefined],
  {
    words,
    kinds: [removed, added],
  }: { readonly words: string; readonly kinds: readonly [CrdChangeKind, CrdChangeKind] },
  changes: Changes,
): void {
  for (const each of old) if (!now.includes(each)) changes.add(removed, '', `${words} ${each} was removed`);
  for (const each of now) if (!old.includes(each)) changes.add(added, '', `${words} ${each} was added`);
}

function compareVersions(before: CrdVersion, after: CrdVersion): readonly CrdChange[] {
  const changes = new Changes(before.name);
  if (before.served && !after.served) changes.add('version-not-served', '', 'is no longer served');
  if (!before.served && after.served) changes.add('version-served', '', 'is now served');
  if (before.deprecated !== true && after.deprecated === true)
    changes.add('version-deprecated', '', 'is now deprecated');
  compareSubresources(before, after, changes);
  compareColumns(before, after, changes);
  const paths = ({ selectableFields = [] }: CrdVersion): readonly string[] =>
    selectableFields.map(({ jsonPath }) => jsonPath);
  const selectable = {
    words: 'selectable field',
    kinds: ['selectable-field-removed', 'selectable-field-added'],
  } as const;
  compareLists([paths(before), paths(after)], selectable, changes);
  const [old, now] = [before.schema?.openAPIV3Schema ?? {}, after.schema?.openAPIV3Schema ?? {}];
  compareSchemas(old, now, { path: '', changes });
  return changes.list;
}

function compareSubresources(before: CrdVersion, after: CrdVersion, changes: Changes): void {
  const [old, now] = [before.subresources ?? {}, after.subresources ?? {}];
  if (old.status && !now.status)
    changes.add(
      'status-subresource-removed',
      'status',
      'is no longer a subresource: writes to the main resource change it',
    );
  if (!old.status && now.status)
    changes.add('status-subresource-added', 'status', 'is now a subresource: writes to the main resource ignore it');
  if (old.scale && !now.scale) changes.add('scale-subresource-removed', '', 'scale subresource was removed');
  if (!old.scale && now.scale) changes.add('scale-subresource-added', '', 'scale subresource was added');
  if (!old.scale || !now.scale) return;
  for (const name of ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath'] as const) {
    if (old.scale[name] === now.scale[name]) continue;
    changes.add(
      'scale-path-changed',
      '',
      `${name} changed from ${old.scale[name] ?? 'none'} to ${now.scale[name] ?? 'none'}`,
    );
  }
}

function compareColumns(before: CrdVersion, after: CrdVersion, changes: Changes): void {
  const [old, now] = [before.additionalPrinterColumns ?? [], after.additionalPrinterColumns ?? []];
  for (const column of old) {
    const next = now.find(({ name }) => name === column.name);
    if (next === undefined) changes.add('column-removed', '', `column ${column.name} was removed`);
    else if (next.jsonPath !== column.jsonPath || next.type !== column.type) {
      const print = ({ jsonPath, type }: typeof column): string => `${jsonPath} (${type})`;
      changes.add('column-changed', '', `column ${column.name} changed from ${print(column)} to ${print(next)}`);
    }
  }
  for (const { name } of now) {
    if (!old.some((column) => column.name === name)) changes.add('column-added', '', `column ${name} was added`);
  }
}
