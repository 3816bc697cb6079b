import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { appliedAlready } from './applied-already.ts';

const manager = { fieldManager: 'me' };

function live(
  body: Record<string, unknown>,
  fieldsV1: Record<string, unknown>,
  metadata: Record<string, unknown> = {},
): KubernetesObject {
  const managedFields = [{ manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  // The object has the form of a server's response.
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', uid: 'u', ...metadata, managedFields },
    ...body,
  } as unknown as KubernetesObject;
}

function wanted(body: Record<string, unknown>, metadata: Record<string, unknown> = {}): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', ...metadata },
    ...body,
  } as unknown as KubernetesObject;
}

describe('appliedAlready', () => {
  const container = { name: 'web', image: 'nginx', ports: [{ containerPort: 80 }], resources: {} };
  const liveContainer = {
    ...container,
    ports: [{ containerPort: 80, protocol: 'TCP' }],
    terminationMessagePath: '/dev',
  };
  // The field set as Kubernetes 1.36 writes it.
  const fields = {
    'f:spec': {
      'f:containers': {
        'k:{"name":"web"}': {
          '.': {},
          'f:name': {},
          'f:image': {},
          'f:resources': {},
          'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
        },
      },
    },
  };

  it('accounts for server defaults and list keys', () => {
    expect(
      appliedAlready(
        wanted({ spec: { containers: [container] } }),
        live({ spec: { containers: [liveContainer] } }, fields),
        manager,
      ),
    ).toBe(true);
  });

  it('detects a changed value, a new field and a field that is no longer wanted', () => {
    const there = live({ spec: { containers: [liveContainer] } }, fields);
    const ask = (change: Record<string, unknown>): boolean =>
      appliedAlready(wanted({ spec: { containers: [{ ...container, ...change }] } }), there, manager);
    expect(ask({})).toBe(true);
    expect(ask({ image: 'nginx:2' })).toBe(false);
    expect(ask({ args: ['x'] })).toBe(false);
    expect(ask({ resources: undefined })).toBe(false);
    expect(ask({ args: undefined })).toBe(true);
  });

  it('compares atomic list items as a whole', () => {
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'x', controller: true };
    const owned = { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"x"}': {} } } };
    const there = live({}, owned, { ownerReferences: [{ ...reference, uid: 'y' }, reference] });
    expect(appliedAlready(wanted({}, { ownerReferences: [reference] }), there, manager)).toBe(true);
    expect(appliedAlready(wanted({}, { ownerReferences: [{ ...reference, controller: false }] }), there, manager)).toBe(
      false,
    );
  });

  it('compares sets by value', () => {
    const there = live({}, { 'f:metadata': { 'f:finalizers': { 'v:"mine"': {} } } }, { finalizers: ['other', 'mine'] });
    expect(appliedAlready(wanted({}, { finalizers: ['mine'] }), there, manager)).toBe(true);
    expect(appliedAlready(wanted({}, { finalizers: ['mine', 'more'] }), there, manager)).toBe(false);
  });

  describe('in merged lists', () => {
    const containers = (...names: string[]) => ({
      spec: { initContainers: names.map((name) => ({ name, image: 'i' })) },
    });
    const owned = (...names: string[]) => ({
      'f:spec': {
        'f:initContainers': Object.fromEntries(
          names.map((name) => [`k:{"name":"${name}"}`, { '.': {}, 'f:name': {}, 'f:image': {} }]),
        ),
      },
    });
    const ask = (want: string[], there: string[]): boolean =>
      appliedAlready(wanted(containers(...want)), live(containers(...there), owned(...[...want].sort())), manager);

    it('detects a different order, as a merge would produce it', () => {
      expect(ask(['a', 'b'], ['a', 'b'])).toBe(true);
      expect(ask(['b', 'a'], ['a', 'b'])).toBe(false);
      expect(ask(['a', 'b', 'c'], ['a', 'c', 'b'])).toBe(false);
    });

    it('ignores elements of other managers between its own', () => {
      expect(ask(['b', 'a'], ['x', 'b', 'y', 'z', 'a', 'w'])).toBe(true);
      expect(ask(['b', 'a'], ['x', 'a', 'y', 'b'])).toBe(false);
    });

    it('does not treat duplicates as applied, because a merge leaves one of them', () => {
      expect(ask(['a', 'b'], ['a', 'b', 'a'])).toBe(false);
      expect(ask(['a'], ['x', 'x', 'a'])).toBe(true);
    });

    it('detects the order of a set', () => {
      const fields = { 'f:metadata': { 'f:finalizers': { 'v:"one"': {}, 'v:"two"': {} } } };
      const there = live({}, fields, { finalizers: ['two', 'other', 'one'] });
      expect(appliedAlready(wanted({}, { finalizers: ['two', 'one'] }), there, manager)).toBe(true);
      expect(appliedAlready(wanted({}, { finalizers: ['one', 'two'] }), there, manager)).toBe(false);
    });

    it('distinguishes an element with a defaulted key from one that sets the key', () => {
      const dns = [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }];
      const port = { '.': {}, 'f:containerPort': {} };
      const fields = {
        'f:spec': {
          'f:ports': {
            'k:{"containerPort":53,"protocol":"TCP"}': port,
            'k:{"containerPort":53,"protocol":"UDP"}': { ...port, 'f:protocol': {} },
          },
        },
      };
      const there = live({ spec: { ports: [{ containerPort: 53, protocol: 'TCP' }, dns[1]] } }, fields);
      expect(appliedAlready(wanted({ spec: { ports: dns } }), there, manager)).toBe(true);
      expect(appliedAlready(wanted({ spec: { ports: [...dns].reverse() } }), there, manager)).toBe(false);
    });
  });

  it('returns false for another manager, version or subresource, or without an entry', () => {
    const there = live({ spec: { x: 1 } }, { 'f:spec': { 'f:x': {} } });
    const ask = wanted({ spec: { x: 1 } });
    expect(appliedAlready(ask, there, manager)).toBe(true);
    expect(appliedAlready(ask, there, { fieldManager: 'other' })).toBe(false);
    expect(appliedAlready(ask, there, { ...manager, subresource: 'status' })).toBe(false);
    expect(appliedAlready({ ...ask, apiVersion: 'v2' }, there, manager)).toBe(false);
    expect(appliedAlready(ask, { ...there, metadata: { name: 'a' } }, manager)).toBe(false);
  });

  it('does not mistake inherited members for fields', () => {
    const there = live({ data: {} }, { 'f:data': { 'f:constructor': {} } });
    expect(appliedAlready(wanted({ data: { constructor: 'x' } }), there, manager)).toBe(false);
  });
});
