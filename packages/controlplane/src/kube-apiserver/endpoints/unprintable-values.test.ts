import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

/** Objects that `String()` and template literals cannot convert. */
const unprintable = { toString: { a: 1 }, valueOf: 'x' };

const requests: readonly (readonly [method: string, type: string])[] = [
  ['POST', 'json'],
  ['PUT', 'json'],
  ['PATCH', 'apply-patch+yaml'],
  ['PATCH', 'merge-patch+json'],
  ['PATCH', 'strategic-merge-patch+json'],
];

describe.each([
  ['a built-in kind', '/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap' }],
  ['a custom kind', '/apis/example.com/v1/namespaces/default/toys', { apiVersion: 'example.com/v1', kind: 'Toy' }],
])('a value that cannot be converted to a string, in %s', (_, collection, type) => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const names = { plural: 'toys', singular: 'toy', kind: 'Toy', listKind: 'ToyList' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const spec = { group: 'example.com', scope: 'Namespaced', names, versions };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    expect((await plane.send('POST', definitions, { metadata: { name: 'toys.example.com' }, spec })).status).toBe(201);
    await plane.send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } });
    expect((await plane.send('POST', collection, { ...type, metadata: { name: 'x' } })).status).toBe(201);
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it.each([
    ['apiVersion', { apiVersion: unprintable }],
    ['kind', { kind: unprintable }],
    ['the name', { metadata: { name: unprintable } }],
    ['the namespace', { metadata: { name: 'x', namespace: unprintable } }],
    ['the uid', { metadata: { name: 'x', uid: unprintable } }],
    ['the version', { metadata: { name: 'x', resourceVersion: unprintable } }],
    ['a label', { metadata: { name: 'x', labels: { a: unprintable } } }],
    ['a finalizer', { metadata: { name: 'x', finalizers: [unprintable] } }],
    ['an owner', { metadata: { name: 'x', ownerReferences: [{ uid: unprintable, name: unprintable }] } }],
    ['managed fields', { metadata: { name: 'x', managedFields: [{ manager: unprintable }] } }],
    ['$patch', { metadata: { name: 'x', $patch: unprintable } }],
    ['a list order', { metadata: { name: 'x', '$setElementOrder/finalizers': [unprintable] } }],
  ])('causes no internal error as %s', async (_name, fields) => {
    for (const [method, format] of requests) {
      const path = method === 'POST' ? collection : `${collection}/x`;
      const query = format === 'apply-patch+yaml' ? '?fieldManager=m&force=true' : '';
      const body = { ...type, metadata: { name: 'x' }, ...fields };
      await plane.send(method, path + query, body, { 'content-type': `application/${format}` });
      expect(plane.errors.splice(0), `${method} ${format}`).toEqual([]);
    }
  });

  it('causes no internal error as the operation of a JSON patch', async () => {
    const headers = { 'content-type': 'application/json-patch+json' };
    await plane.send('PATCH', `${collection}/x`, [{ op: unprintable, path: '/data', value: 'a' }], headers);
    expect(plane.errors.splice(0)).toEqual([]);
  });
});
