import type { KubernetesObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { ownersAmong, ownersFirst } from './owners.ts';

const object = (name: string, ...owners: readonly string[]): KubernetesObject => within('shop', name, ...owners);
const within = (namespace: string | undefined, name: string, ...owners: readonly string[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    ...defined({ namespace }),
    ownerReferences: owners.map((owner) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: 'any' })),
  },
});
const sorted = (...objects: readonly KubernetesObject[]): readonly (string | undefined)[] =>
  ownersFirst(objects, ownersAmong(objects)).map(({ metadata }) => metadata.name);

describe('ownersFirst', () => {
  it.each([
    [
      'a chain',
      [object('pod', 'replicas'), object('replicas', 'deployment'), object('deployment')],
      'deployment replicas pod',
    ],
    ['two owners', [object('c', 'a', 'b'), object('b', 'a'), object('a')], 'a b c'],
    ['no owners', [object('b'), object('a')], 'b a'],
    ['unknown owners', [object('b', 'gone'), object('a')], 'b a'],
  ])('sorts %s', (_, objects, order) => expect(sorted(...objects).join(' ')).toBe(order));

  it.each([
    ['the object owns itself', [object('a', 'a')]],
    [
      'these objects own each other: ConfigMap shop/b, ConfigMap shop/c',
      [object('a', 'b'), object('b', 'c'), object('c', 'b')],
    ],
  ])('rejects a cycle: %s', (why, objects) => {
    expect(() => sorted(...objects)).toThrow(
      expect.objectContaining({ code: 'KW8001', message: expect.stringContaining(why) }),
    );
  });
});

describe('ownersAmong', () => {
  it('finds the owner in the same namespace, or among cluster-scoped objects', () => {
    const [far, near, global] = [within('depot', 'a'), within('shop', 'a'), within(undefined, 'b')];
    const owned = object('c', 'a', 'b');
    expect([...ownersAmong([far, near, global, owned])(owned).values()]).toEqual([near, global]);
  });

  it('finds no namespaced owner for a cluster-scoped object', () => {
    const [near, global] = [within('shop', 'a'), within(undefined, 'b')];
    const owned = within(undefined, 'c', 'a', 'b');
    expect([...ownersAmong([near, global, owned])(owned).values()]).toEqual([global]);
  });
});
