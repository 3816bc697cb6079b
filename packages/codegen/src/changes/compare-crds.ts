import type { Crd, CrdVersion } from '../crd/crd.ts';
import { Changes, type CrdChange, type CrdChangeKind } from './change.ts';
import { compareSchemas } from './compare-schemas.ts';

/**
 * Lists the differences between two states of a CRD. Changes that break stored objects, manifests or clients come first, safe
 * ones after. Each version is compared with its own previous state; an unchanged CRD yields an empty list.
 */
export function compareCrds(before: Crd, after: Crd): readonly CrdChange[] {
  const changes = new Changes();
  compareNames(before, after, changes);
  const found = [...changes.list];
  for (const version of before.spec.versions) {
    const next = after.spec.versions.find(({ name }) => name === version.name);
    if (next === undefined) {
      const own = new Changes(version.name);
      own.add('version-removed', '', `the version ${version.name} is gone`);
      found.push(...own.list);
    } else found.push(...compareVersions(version, next));
  }
  for (const { name } of after.spec.versions) {
    if (before.spec.versions.some((version) => version.name === name)) continue;
    const own = new Changes(name);
    own.add('version-added', '', `the version ${name} is new`);
    found.push(...own.list);
  }
  return found.sort((a, b) => Number(a.severity === 'safe') - Number(b.severity === 'safe'));
}

function compareNames(before: Crd, after: Crd, changes: Changes): void {
  const compare = (kind: CrdChangeKind, words: string, old: unknown, now: unknown): void => {
    if (old !== now) changes.add(kind, '', `${words} was ${String(old)}, is ${String(now)}`);
  };
  const [old, now] = [before.spec, after.spec];
  compare('group-changed', 'the group', old.group, now.group);
  compare('kind-changed', 'the kind', old.names.kind, now.names.kind);
  compare('plural-changed', 'the plural', old.names.plural, now.names.plural);
  compare('scope-changed', 'the scope', old.scope, now.scope);
  const singular = ({ names }: Crd['spec']): string => names.singular ?? names.kind.toLowerCase();
  compare('singular-changed', 'the singular', singular(old), singular(now));
  compareLists([old.names.shortNames, now.names.shortNames], ['short-name-removed', 'short-name-added'], changes);
  compareLists([old.names.categories, now.names.categories], ['category-removed', 'category-added'], changes);
  const stored = ({ versions }: Crd['spec']): string | undefined => versions.find(({ storage }) => storage)?.name;
  compare('storage-version-changed', 'the stored version', stored(old), stored(now));
}

function compareLists(
  [old = [], now = []]: readonly [readonly string[] | undefined, readonly string[] | undefined],
  [removed, added]: readonly [CrdChangeKind, CrdChangeKind],
  changes: Changes,
): void {
  for (const each of old) if (!now.includes(each)) changes.add(removed, '', `${each} is gone`);
  for (const each of now) if (!old.includes(each)) changes.add(added, '', `${each} is new`);
}

function compareVersions(before: CrdVersion, after: CrdVersion): readonly CrdChange[] {
  const changes = new Changes(before.name);
  if (before.served && !after.served) changes.add('version-not-served', '', 'is not served any more');
  if (!before.served && after.served) changes.add('version-served', '', 'is served');
  if (before.deprecated !== true && after.deprecated === true) changes.add('version-deprecated', '', 'is deprecated');
  compareSubresources(before, after, changes);
  compareColumns(before, after, changes);
  const paths = ({ selectableFields = [] }: CrdVersion): readonly string[] =>
    selectableFields.map(({ jsonPath }) => jsonPath);
  compareLists([paths(before), paths(after)], ['selectable-field-removed', 'selectable-field-added'], changes);
  const [old, now] = [before.schema?.openAPIV3Schema ?? {}, after.schema?.openAPIV3Schema ?? {}];
  compareSchemas(old, now, { path: '', changes });
  return changes.list;
}

function compareSubresources(before: CrdVersion, after: CrdVersion, changes: Changes): void {
  const [old, now] = [before.subresources ?? {}, after.subresources ?? {}];
  if (old.status && !now.status)
    changes.add('status-subresource-removed', 'status', 'is written with the whole object');
  if (!old.status && now.status)
    changes.add('status-subresource-added', 'status', 'is written apart: writes of the whole object leave it');
  if (old.scale && !now.scale) changes.add('scale-subresource-removed', '', 'cannot be scaled any more');
  if (!old.scale && now.scale) changes.add('scale-subresource-added', '', 'can be scaled');
  if (!old.scale || !now.scale) return;
  for (const name of ['specReplicasPath', 'statusReplicasPath', 'labelSelectorPath'] as const) {
    if (old.scale[name] === now.scale[name]) continue;
    changes.add('scale-path-changed', '', `${name} was ${old.scale[name] ?? 'none'}, is ${now.scale[name] ?? 'none'}`);
  }
}

function compareColumns(before: CrdVersion, after: CrdVersion, changes: Changes): void {
  const [old, now] = [before.additionalPrinterColumns ?? [], after.additionalPrinterColumns ?? []];
  for (const column of old) {
    const next = now.find(({ name }) => name === column.name);
    if (next === undefined) changes.add('column-removed', '', `the column ${column.name} is gone`);
    else if (next.jsonPath !== column.jsonPath || next.type !== column.type) {
      const print = ({ jsonPath, type }: typeof column): string => `${jsonPath} (${type})`;
      changes.add('column-changed', '', `the column ${column.name} was ${print(column)}, is ${print(next)}`);
    }
  }
  for (const { name } of now) {
    if (!old.some((column) => column.name === name)) changes.add('column-added', '', `the column ${name} is new`);
  }
}
