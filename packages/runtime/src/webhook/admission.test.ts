import { forbidden, invalidField } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { allowed, denied, patched } from './admission-review.ts';
import { admissionWebhook } from './admission-webhook.ts';
import { defaulter } from './defaulter.ts';
import { patchOf, review, Site, served, site } from './testdata/reviews.ts';
import { validator } from './validator.ts';
import { WebhookError } from './webhook-error.ts';

const validatePath = '/validate-web-example-com-v1-site';
const mutatePath = '/mutate-web-example-com-v1-site';

describe('validator', () => {
  const rules = validator(Site, {
    create: (object) => (object.spec.pages === 0 ? [invalidField('spec.pages', 0, 'must be positive')] : undefined),
    update: (object, { old }) => (object.spec.title === old.spec.title ? undefined : 'a title cannot be changed'),
    delete(object, context) {
      context.warn(`${object.spec.title} is gone for good`);
      if (context.request.userInfo.username !== 'root')
        throw forbidden({ group: 'web.example.com', resource: 'sites' }, 'a', 'only root deletes');
    },
  });

  it('admits when the rule returns nothing', async () => {
    const { post } = served([rules]);
    const answer = await post(validatePath, review({ object: site({ title: 'x' }) }));
    expect(answer).toEqual({
      status: 200,
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: {
        uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
        allowed: true,
        status: { metadata: {}, code: 200 },
      },
    });
  });

  it('rejects invalid fields like the API server', async () => {
    const { post } = served([rules]);
    const { response } = await post(validatePath, review({ object: site({ title: 'x', pages: 0 }) }));
    expect(response.allowed).toBe(false);
    expect(response.status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'Site.web.example.com "a" is invalid: spec.pages: Invalid value: 0: must be positive',
      details: { causes: [{ field: 'spec.pages', reason: 'FieldValueInvalid' }] },
    });
  });

  it('compares with the current state on updates, and denies with a message', async () => {
    const { post } = served([rules]);
    const request = { operation: 'UPDATE', object: site({ title: 'y' }), oldObject: site({ title: 'x' }) };
    const { response } = await post(validatePath, review(request));
    expect(response).toMatchObject({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'a title cannot be changed' },
    });
  });

  it('passes the old object of a delete, and sends warnings and the thrown status with a denial', async () => {
    const { post } = served([rules]);
    const { response } = await post(validatePath, review({ operation: 'DELETE', oldObject: site({ title: 'x' }) }));
    expect(response.warnings).toEqual(['x is gone for good']);
    expect(response.status).toMatchObject({
      code: 403,
      message: 'sites.web.example.com "a" is forbidden: only root deletes',
    });
    const root = { operation: 'DELETE', oldObject: site({ title: 'x' }), userInfo: { username: 'root' } };
    expect((await post(validatePath, review(root))).response).toMatchObject({
      allowed: true,
      warnings: [expect.any(String)],
    });
  });

  it('admits operations without a rule, and CONNECT', async () => {
    const { post } = served([validator(Site, {})]);
    for (const operation of ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'])
      expect(
        (await post(validatePath, review({ operation, object: site({}), oldObject: site({}) }))).response.allowed,
      ).toBe(true);
    expect((await post(validatePath, review({ operation: 'LOOK' }))).response.status.code).toBe(400);
  });

  it('turns a thrown error into a denial with 500, a log line and a count', async () => {
    const { post, lines, counts } = served([
      validator(Site, {
        create() {
          throw new TypeError('x is undefined');
        },
      }),
    ]);
    const { status, response } = await post(validatePath, review({ object: site({ title: 'x' }) }));
    expect(status).toBe(200);
    expect(response).toMatchObject({
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      allowed: false,
      status: { code: 500, reason: 'InternalError', message: 'panic: x is undefined [recovered]' },
    });
    expect(counts.panics).toEqual(['admission']);
    expect(lines.find((line) => line['level'] === 'error')).toMatchObject({
      logger: 'admission',
      msg: 'Observed a panic',
      error: 'x is undefined',
      webhookGroup: 'web.example.com',
      webhookKind: 'Site',
      Site: { namespace: 'shop', name: 'a' },
      namespace: 'shop',
      name: 'a',
      resource: { group: 'web.example.com', version: 'v1', resource: 'sites' },
      user: 'ann',
      requestID: '705ab4f5-6393-11e8-b7cc-42010a800002',
    });
  });

  it('passes frozen objects, and rejects objects of another kind', async () => {
    const { post, counts } = served([
      validator(Site, {
        create(object) {
          Object.assign(object.spec, { title: 'changed' });
        },
      }),
    ]);
    expect((await post(validatePath, review({ object: site({ title: 'x' }) }))).response.status.code).toBe(500);
    expect(counts.panics).toHaveLength(1);
    const other = { ...site({}), kind: 'Page' };
    const { response } = await post(validatePath, review({ object: other }));
    expect(response.status).toMatchObject({
      code: 400,
      message: expect.stringContaining('but the review contains Page'),
    });
    expect((await post(validatePath, review({ object: null }))).response.status.code).toBe(400);
  });
});

describe('defaulter', () => {
  const complete = defaulter(Site, (object) => ({ ...object, spec: { pages: 3, ...object.spec } }));

  it('responds with the difference as a patch, and keeps unknown fields', async () => {
    const { post } = served([complete]);
    const object = site({ title: 'x', later: { deep: [1] } }, { labels: { 'a/b': 'c' } });
    const { response } = await post(mutatePath, review({ object }));
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' });
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/spec/pages', value: 3 }]);
  });

  it('sends no patch if nothing is missing, if the function returns nothing, and for deletes', async () => {
    const same = served([complete]);
    const full = (await same.post(mutatePath, review({ object: site({ title: 'x', pages: 3 }) }))).response;
    expect(full).toMatchObject({ allowed: true });
    expect(full.patch).toBeUndefined();
    const nothing = served([defaulter(Site, () => undefined)]);
    expect((await nothing.post(mutatePath, review({ object: site({}) }))).response.patchType).toBeUndefined();
    const gone = await same.post(mutatePath, review({ operation: 'DELETE', oldObject: site({}) }));
    expect(gone.response.allowed).toBe(true);
  });

  it('keeps a field named __proto__ intact', async () => {
    const { post } = served([defaulter(Site, (object) => ({ ...object, spec: { ...object.spec, pages: 1 } }))]);
    const body = JSON.stringify(review({ object: site({ title: 'x' }) })).replace(
      '"title"',
      '"__proto__":{"a":1},"title"',
    );
    const { response } = await post(mutatePath, body);
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/spec/pages', value: 1 }]);
  });

  it('rejects an object that is too deep to compare, and keeps serving', async () => {
    const deeper = defaulter(Site, (object) => ({
      ...object,
      spec: { ...object.spec, title: [object.spec.title] as unknown as string },
    }));
    const { post } = served([deeper]);
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const body = JSON.stringify(review({ object: site({ title: 'DEEP' }) })).replace('"DEEP"', deep);
    expect((await post(mutatePath, body)).response).toMatchObject({ allowed: false, status: { code: 500 } });
    expect((await post(mutatePath, review({ object: site({ title: 'x' }) }))).response.allowed).toBe(true);
  });
});

describe('webhooks on one path', () => {
  it("run in order, each seeing the previous webhook's result", async () => {
    const seen: unknown[] = [];
    const { post } = served([
      defaulter(Site, (object) => ({ ...object, spec: { ...object.spec, pages: 1 } })),
      defaulter(Site, (object, context) => {
        seen.push(object.spec.pages);
        context.warn('twice');
        return { ...object, spec: { ...object.spec, pages: 2 } };
      }),
    ]);
    const { response } = await post(mutatePath, review({ object: site({ title: 'x' }) }));
    expect(seen).toEqual([1]);
    expect(response.warnings).toEqual(['twice']);
    expect(patchOf(response)).toEqual([
      { op: 'add', path: '/spec/pages', value: 1 },
      { op: 'replace', path: '/spec/pages', value: 2 },
    ]);
  });

  it('stop at the first denial', async () => {
    const asked: string[] = [];
    const rule = (name: string, verdict: string | undefined) =>
      validator(Site, {
        create: () => {
          asked.push(name);
          return verdict;
        },
      });
    const { post } = served([rule('a', undefined), rule('b', 'no'), rule('c', 'never')]);
    const { response } = await post(validatePath, review({ object: site({}) }));
    expect(response.status.message).toBe('no');
    expect(asked).toEqual(['a', 'b']);
  });

  it('must have the same type and well-formed paths', () => {
    const path = '/both';
    expect(() => served([validator(Site, {}, { path }), defaulter(Site, () => undefined, { path })])).toThrow(
      WebhookError,
    );
    expect(() => served([validator(Site, {}, { path: 'x y' })])).toThrow('invalid webhook path "x y"');
  });
});

describe('admissionWebhook', () => {
  it('handles raw reviews: denies, patches, annotates the audit event', async () => {
    const { post } = served([
      admissionWebhook({
        type: 'mutating',
        path: '/raw',
        handle: (request, { dryRun }) =>
          dryRun
            ? denied('not in a dry run')
            : { ...patched([{ op: 'add', path: '/x', value: request.namespace }]), auditAnnotations: { why: 'test' } },
      }),
      admissionWebhook({ type: 'validating', path: '/ok', handle: () => allowed('fine') }),
    ]);
    const { response } = await post('/raw', review({ object: {} }));
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/x', value: 'shop' }]);
    expect(response.auditAnnotations).toEqual({ why: 'test' });
    expect((await post('/raw', review({ object: {}, dryRun: true }))).response.status.message).toBe('not in a dry run');
    expect((await post('/ok', review({}))).response.status).toEqual({ metadata: {}, code: 200, message: 'fine' });
  });

  it('rejects a patch from a validating webhook', async () => {
    const sly = admissionWebhook({
      type: 'validating',
      path: '/sly',
      handle: () => patched([{ op: 'remove', path: '/spec' }]),
    });
    expect((await served([sly]).post('/sly', review({ object: {} }))).response).toMatchObject({
      allowed: false,
      status: { code: 500 },
    });
  });

  it('reports a missing client', async () => {
    const curious = admissionWebhook({
      type: 'validating',
      path: '/c',
      handle: (_, { client }) => denied(client.defaultNamespace),
    });
    const { response } = await served([curious]).post('/c', review({}));
    expect(response.status.message).toContain('the webhook server has no client');
  });
});

describe('admission reviews', () => {
  it('log the response and the changed fields, but no values', async () => {
    const { post, lines } = served([
      defaulter(Site, (object) => ({ ...object, spec: { ...object.spec, title: object.spec.title ?? 'a secret' } })),
    ]);
    await post(mutatePath, review({ object: site({ pages: 1 }) }));
    await post(mutatePath, review({ object: site({ title: 'x' }), operation: 'UPDATE' }));
    const received = lines.filter(({ msg }) => msg === 'wrote response');
    expect(received).toMatchObject([
      { level: 'debug', operation: 'CREATE', webhook: 'mutating', allowed: true, changed: ['.spec.title'] },
      { level: 'debug', operation: 'UPDATE', webhook: 'mutating', allowed: true },
    ]);
    expect(received[1]).not.toHaveProperty('changed');
    expect(JSON.stringify(lines)).not.toContain('a secret');
  });

  const anything = admissionWebhook({ type: 'validating', path: '/any', handle: () => allowed() });

  it('are answered in the version of the request', async () => {
    const { post } = served([anything]);
    const answer = await post('/any', review({}, 'admission.k8s.io/v1beta1'));
    expect(answer).toMatchObject({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' });
    expect((await post('/any', review({}), 'application/json; charset=utf-8')).response.allowed).toBe(true);
  });

  it.each([
    ['nothing', '', 'application/json', 'request body is empty'],
    ['another type', '{}', 'text/plain', 'contentType=text/plain, expected application/json'],
    ['no JSON', '{', 'application/json', 'cannot decode the request'],
    ['bad UTF-8', Buffer.from([0xff]).toString('latin1'), 'application/json', 'cannot decode the request'],
    ['another version', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v2"}', 'application/json', 'v2'],
    ['null', 'null', 'application/json', 'expected an AdmissionReview'],
    ['no request', '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}', 'application/json', 'no complete'],
  ])('reject %s with code 400 and HTTP status 200', async (_, body, contentType, message) => {
    const { status, response } = await served([anything]).post('/any', body, contentType);
    expect(status).toBe(200);
    expect(response).toMatchObject({
      allowed: false,
      status: { code: 400, message: expect.stringContaining(message) },
    });
  });
});
