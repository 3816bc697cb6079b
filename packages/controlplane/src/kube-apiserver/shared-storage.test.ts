import { describe, expect, it } from 'vitest';
import { PlaneUnderTest } from './testdata/plane-under-test.ts';

const services = '/api/v1/namespaces/default/services';
const json = { 'content-type': 'application/json' };

describe('two API servers on one storage', () => {
  it('allocate an address and a node port to only one Service, even for concurrent requests', async () => {
    await using one = await PlaneUnderTest.start();
    await using two = await PlaneUnderTest.start({ storage: one.storage });
    const create = async (plane: PlaneUnderTest, name: string, spec: object): Promise<number> => {
      const body = {
        metadata: { name },
        spec: { type: 'NodePort', ports: [{ port: 80, ...spec }], clusterIP: '10.96.0.77' },
      };
      return (await plane.send('POST', services, body, json)).status;
    };
    const statuses = await Promise.all([create(one, 'a', {}), create(two, 'b', {})]);
    expect(statuses.toSorted()).toEqual([201, 422]);
    const named = { type: 'NodePort', ports: [{ port: 80, nodePort: 30_007 }] };
    const make = (plane: PlaneUnderTest, name: string) =>
      plane.send('POST', services, { metadata: { name }, spec: named }, json);
    const answers = await Promise.all([make(one, 'c'), make(two, 'd')]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422]);
    expect(answers.find(({ status }) => status === 422)?.text).toContain('provided port is already allocated');
    // Both the address and the node port are free again once their Services are deleted.
    for (const name of ['a', 'b', 'c', 'd']) await two.send('DELETE', `${services}/${name}`);
    expect(await create(two, 'e', { nodePort: 30_007 })).toBe(201);
    expect([...one.errors, ...two.errors]).toEqual([]);
  });

  it('accept a name for only one CRD, even in concurrent requests', async () => {
    await using one = await PlaneUnderTest.start();
    await using two = await PlaneUnderTest.start({ storage: one.storage });
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const crd = (plural: string, names: object): object => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.example.com` },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural, ...names },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    const answers = await Promise.all([
      one.send('POST', crds, crd('widgets', { kind: 'Widget', shortNames: ['w'] }), json),
      two.send('POST', crds, crd('wheels', { kind: 'Wheel', shortNames: ['w'] }), json),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    interface Condition {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }
    const accepted = async (name: string): Promise<Condition | undefined> => {
      const { text } = await one.send('GET', `${crds}/${name}.example.com`);
      const { status } = JSON.parse(text) as { readonly status: { readonly conditions: readonly Condition[] } };
      return status.conditions.find(({ type }) => type === 'NamesAccepted');
    };
    const conditions = [await accepted('widgets'), await accepted('wheels')];
    expect(conditions.map((condition) => condition?.status).toSorted()).toEqual(['False', 'True']);
    expect(conditions.find((condition) => condition?.status === 'False')?.message).toBe('"w" is already in use');
    // Once the CRD that holds the name is deleted, the other CRD gets it.
    const [holder, waiting] = conditions[0]?.status === 'True' ? ['widgets', 'wheels'] : ['wheels', 'widgets'];
    await one.send('DELETE', `${crds}/${holder}.example.com`);
    // No controller is running that would delete the custom resources and remove this finalizer.
    const patch = { 'content-type': 'application/merge-patch+json' };
    await two.send('PATCH', `${crds}/${holder}.example.com`, { metadata: { finalizers: null } }, patch);
    await expect.poll(async () => (await accepted(waiting))?.status).toBe('True');
    expect([...one.errors, ...two.errors]).toEqual([]);
  });
});
