import { describe, expect, it } from 'vitest';
import type { KubernetesObject, ManagedFieldsEntry } from '../object/kubernetes-object.ts';
import { upgradeManagedFields, upgradeManagedFieldsPatch } from './upgrade-managed-fields.ts';

const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  fields: readonly string[],
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:data': Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
  ...more,
});
const object = (...managedFields: ManagedFieldsEntry[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', resourceVersion: '7', managedFields },
});
const options = { from: ['old'], to: 'new' };

// The cases of client-go's csaupgrade/upgrade_test.go.
describe('upgradeManagedFields', () => {
  it('turns the update into an apply if there is no apply yet', () => {
    const other = entry('other', 'Update', ['c']);
    expect(upgradeManagedFields(object(other, entry('old', 'Update', ['a', 'b'])), options)).toEqual([
      other,
      entry('new', 'Apply', ['a', 'b']),
    ]);
  });

  it('adds the fields of the update to the existing apply, and keeps its time', () => {
    const applied = entry('new', 'Apply', ['a'], { time: '2026-01-01T00:00:00Z' });
    expect(upgradeManagedFields(object(entry('old', 'Update', ['b']), applied), options)).toEqual([
      entry('new', 'Apply', ['a', 'b'], { time: '2026-01-01T00:00:00Z' }),
    ]);
  });

  it("merges a manager's update into its own apply", () => {
    const both = object(entry('new', 'Update', ['a']), entry('new', 'Apply', ['b']));
    expect(upgradeManagedFields(both, { from: ['new'], to: 'new' })).toEqual([entry('new', 'Apply', ['a', 'b'])]);
  });

  it('drops updates in another API version than the apply', () => {
    const applied = entry('new', 'Apply', ['a']);
    const older = entry('old', 'Update', ['b'], { apiVersion: 'v1beta1' });
    expect(upgradeManagedFields(object(older, applied), options)).toEqual([applied]);
    const latest = entry('old', 'Update', ['c']);
    expect(upgradeManagedFields(object(latest, older), options)).toEqual([entry('new', 'Apply', ['c'])]);
  });

  it('migrates one subresource at a time', () => {
    const status = entry('old', 'Update', ['a'], { subresource: 'status' });
    const main = entry('old', 'Update', ['b']);
    expect(upgradeManagedFields(object(status, main), options)).toEqual([status, entry('new', 'Apply', ['b'])]);
    expect(upgradeManagedFields(object(status, main), { ...options, subresource: 'status' })).toEqual([
      { ...status, manager: 'new', operation: 'Apply' },
      main,
    ]);
  });

  it('migrates several managers', () => {
    const two = object(entry('old', 'Update', ['a']), entry('older', 'Update', ['b']));
    expect(upgradeManagedFields(two, { from: ['old', 'older'], to: 'new' })).toEqual([
      entry('new', 'Apply', ['a', 'b']),
    ]);
  });

  it('leaves everything else unchanged', () => {
    const entries = [entry('old', 'Apply', ['a']), entry('new', 'Update', ['b'])];
    expect(upgradeManagedFields(object(...entries), options)).toEqual(entries);
    expect(upgradeManagedFields({ ...object(), metadata: { name: 'a' } }, options)).toEqual([]);
  });
});

describe('upgradeManagedFieldsPatch', () => {
  it('replaces the managed fields of one version', () => {
    expect(upgradeManagedFieldsPatch(object(entry('old', 'Update', ['a'])), options)).toEqual([
      { op: 'replace', path: '/metadata/managedFields', value: [entry('new', 'Apply', ['a'])] },
      { op: 'replace', path: '/metadata/resourceVersion', value: '7' },
    ]);
  });

  it('is undefined if there is nothing to migrate', () => {
    expect(upgradeManagedFieldsPatch(object(entry('new', 'Apply', ['a'])), options)).toBeUndefined();
  });
});
