import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const json = { 'content-type': 'application/json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const requests = [
  { name: 'plain', exactly: { deviceClassName: 'gpu' } },
  { name: 'admin', exactly: { deviceClassName: 'gpu', adminAccess: true } },
];

describe('administrative access to devices', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  const create = (resource: string, spec: object) => {
    const path = `/apis/resource.k8s.io/v1/namespaces/default/${resource}`;
    return plane.send('POST', path, { metadata: { name: 'a' }, spec }, json);
  };

  it('needs a label on the namespace', async () => {
    const claim = { devices: { requests } };
    const detail =
      'spec.devices.requests[1].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';
    const refused = await create('resourceclaims', claim);
    expect(refused.status).toBe(422);
    expect(JSON.parse(refused.text).message).toBe(`ResourceClaim.resource.k8s.io "a" is invalid: ${detail}`);
    const template = await create('resourceclaimtemplates', { spec: claim });
    expect(JSON.parse(template.text).message).toBe(`ResourceClaimTemplate.resource.k8s.io "a" is invalid: ${detail}`);
    const labels = { 'resource.kubernetes.io/admin-access': 'true' };
    await plane.send('PATCH', '/api/v1/namespaces/default', { metadata: { labels } }, merge);
    expect((await create('resourceclaims', claim)).status).toBe(201);
    expect((await create('resourceclaimtemplates', { spec: claim })).status).toBe(201);
  });
});
