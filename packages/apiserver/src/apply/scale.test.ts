import { describe, expect, it } from 'vitest';
import { defaultManagerName, type ManagedFieldsRecord } from './managers.ts';
import { entriesAfterScale, entriesOfScale } from './scale.ts';

const paths = { 'apps/v1': ['f:spec', 'f:replicas'] };
const entry = (manager: string, fieldsV1: unknown, more: Partial<ManagedFieldsRecord> = {}): ManagedFieldsRecord => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const parent = [
  entry(
    'a',
    { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } },
    { operation: 'Apply', time: '2026-01-01T00:00:00Z' },
  ),
  entry('b', { 'f:spec': { 'f:paused': {} } }),
];

describe('entriesOfScale', () => {
  it('shows the owners of the replicas as autoscaling/v1 entries', () => {
    expect(entriesOfScale(parent, paths)).toEqual([
      entry('a', replicas, { operation: 'Apply', apiVersion: 'autoscaling/v1', time: '2026-01-01T00:00:00Z' }),
    ]);
  });
});

describe('entriesAfterScale', () => {
  const options = { paths, apiVersion: 'apps/v1' };

  it('moves the replicas to their new owner and leaves the rest', () => {
    const scale = [
      entry('hpa', replicas, { apiVersion: 'autoscaling/v1', subresource: 'scale', time: '2026-01-02T00:00:00Z' }),
    ];
    expect(entriesAfterScale(parent, scale, options)).toEqual([
      entry('a', { 'f:spec': { 'f:selector': {} } }, { operation: 'Apply', time: '2026-01-01T00:00:00Z' }),
      entry('b', { 'f:spec': { 'f:paused': {} } }),
      entry('hpa', replicas, { subresource: 'scale', time: '2026-01-02T00:00:00Z' }),
    ]);
  });

  it('changes nothing if the owner stays the same', () => {
    const scale = [entry('a', replicas, { operation: 'Apply', apiVersion: 'autoscaling/v1' })];
    expect(entriesAfterScale(parent, scale, options)).toEqual(parent);
  });
});

describe('defaultManagerName', () => {
  it.each([
    ['kubectl/v1.32.0 (linux/amd64) kubernetes/abc', 'kubectl'],
    ['curl', 'curl'],
    ['a\u0000b\n/1', 'ab'],
    ['x'.repeat(200), 'x'.repeat(128)],
  ])('shortens %j', (agent, name) => {
    expect(defaultManagerName(agent)).toBe(name);
  });
});
