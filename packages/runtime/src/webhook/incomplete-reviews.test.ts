import { describe, expect, it } from 'vitest';
import { defaulter } from './defaulter.ts';
import { review, Site, served, site } from './testdata/reviews.ts';
import { validator } from './validator.ts';

const validatePath = '/validate-web-example-com-v1-site';
const mutatePath = '/mutate-web-example-com-v1-site';

const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a review that lacks what the webhook reads', () => {
  const { post, counts } = served([
    validator(Site, {
      create: (object) => (object.spec.title === '' ? 'no title' : undefined),
      update: (object, { old }) => (object.spec.title === old.spec.title ? undefined : 'changed'),
      delete: (object) => (object.spec.title === 'kept' ? 'is kept' : undefined),
    }),
    defaulter(Site, (object) => ({ ...object, spec: { ...object.spec, pages: 1 } })),
  ]);

  it.each([
    ['a create without an object', validatePath, { operation: 'CREATE', object: null }],
    ['a create of a string', validatePath, { operation: 'CREATE', object: 'x' }],
    ['a create of a list', validatePath, { operation: 'CREATE', object: [] }],
    ['an update without an old object', validatePath, { operation: 'UPDATE', object: site({ title: 'a' }) }],
    ['an update without an object', validatePath, { operation: 'UPDATE', oldObject: site({ title: 'a' }) }],
    ['a delete without an old object', validatePath, { operation: 'DELETE' }],
    ['a mutation without an object', mutatePath, { operation: 'CREATE', object: null }],
  ])('returns 400, and never crashes: %s', async (_, path, request) => {
    const { status, response } = await post(path, review(request));
    expect(status).toBe(200);
    expect(response).toMatchObject({ uid: '705ab4f5-6393-11e8-b7cc-42010a800002', allowed: false });
    expect(response.status.code).toBe(400);
    expect(counts.panics).toEqual([]);
  });

  it('passes an object of 500 levels to the webhook', async () => {
    const { response } = await post(validatePath, review({ object: site({ title: 'a', deep: nested(500) }) }));
    expect(response.allowed).toBe(true);
  });
});
