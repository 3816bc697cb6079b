import { describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(plural: string): object {
  return {
    metadata: { name: `${plural}.freed.example.com` },
    spec: {
      group: 'freed.example.com',
      scope: 'Namespaced',
      names: { plural, kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  };
}

describe('CRD names', () => {
  it('go to a waiting CRD when their owner is deleted', async () => {
    await using plane = await PlaneUnderTest.start();
    await plane.send('POST', crds, definition('first'));
    const second = JSON.parse((await plane.send('POST', crds, definition('second'))).text);
    const accepted = ({ status }: { status: { conditions: { type: string; status: string }[] } }) =>
      status.conditions.find(({ type }) => type === 'NamesAccepted')?.status;
    expect(accepted(second)).toBe('False');
    expect((await plane.send('GET', '/apis/freed.example.com/v1/second')).status).toBe(404);

    const merge = { 'content-type': 'application/merge-patch+json' };
    await plane.send('DELETE', `${crds}/first.freed.example.com`);
    await plane.send('PATCH', `${crds}/first.freed.example.com`, { metadata: { finalizers: null } }, merge);
    const status = async () => (await plane.send('GET', '/apis/freed.example.com/v1/second')).status;
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
    const judged = JSON.parse((await plane.send('GET', `${crds}/second.freed.example.com`)).text);
    expect(accepted(judged)).toBe('True');
    expect(plane.errors).toEqual([]);
  });
});
