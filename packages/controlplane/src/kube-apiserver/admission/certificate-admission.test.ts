import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeletClientRequest, mastersRequest, rsaRequest } from '../../testdata/signing-requests.ts';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const json = { 'content-type': 'application/json' };
const client = { signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };

describe('admission of certificate signing requests', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    await grant('clerk', [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
        verbs: ['update'],
      },
    ]);
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  async function grant(user: string, rules: readonly object[]): Promise<void> {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user };
    const subjects = [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }];
    await plane.send('POST', `${rbac}/clusterroles`, { metadata: { name: user }, rules }, json);
    await plane.send('POST', `${rbac}/clusterrolebindings`, { metadata: { name: user }, roleRef, subjects }, json);
  }
  async function send(method: string, path: string, body: object, headers: Record<string, string> = {}) {
    const { status, text } = await plane.send(method, path, body, { ...json, ...headers });
    const { message } = JSON.parse(text) as { readonly message?: string };
    return { status, message, object: JSON.parse(text) };
  }
  const create = (name: string, text: string, headers?: Record<string, string>, spec: object = client) => {
    const request = Buffer.from(text).toString('base64');
    return send('POST', requests, { metadata: { name }, spec: { ...spec, request } }, headers);
  };
  const approved = { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] };
  const failed = { conditions: [{ type: 'Failed', status: 'True', reason: 'Test' }] };

  it('rejects a client certificate of system:masters', async () => {
    expect(await create('masters', mastersRequest)).toMatchObject({
      status: 403,
      message:
        'certificatesigningrequests.certificates.k8s.io "masters" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    });
    expect((await create('jane', rsaRequest)).status).toBe(201);
    const other = { signerName: 'example.com/signer', usages: ['client auth'] };
    expect((await create('other', mastersRequest, {}, other)).status).toBe(201);
  });

  it('requires permission to approve and sign requests, for the signer or its domain', async () => {
    const { object } = await create('wanted', rsaRequest);
    const as = { 'impersonate-user': 'clerk' };
    const write = (part: 'approval' | 'status', status: object) =>
      send('PUT', `${requests}/wanted/${part}`, { ...object, status }, as);
    const refused = (verb: string) => ({
      status: 403,
      message: `certificatesigningrequests.certificates.k8s.io "wanted" is forbidden: user not permitted to ${verb} requests with signerName "kubernetes.io/kube-apiserver-client"`,
    });
    expect(await write('approval', approved)).toMatchObject(refused('approve'));
    expect(await write('status', failed)).toMatchObject(refused('sign'));
    // An update that changes nothing needs no permission.
    expect((await write('status', {})).status).toBe(200);
    const signers = { apiGroups: ['certificates.k8s.io'], resources: ['signers'] };
    await send('PUT', `${rbac}/clusterroles/clerk`, {
      metadata: { name: 'clerk' },
      rules: [
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
          verbs: ['update'],
        },
        { ...signers, resourceNames: ['kubernetes.io/*'], verbs: ['approve'] },
      ],
    });
    expect((await write('approval', approved)).status).toBe(200);
  });

  it('allows a node to request only its own certificate', async () => {
    const spec = {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    };
    const as = (node: string) => ({ 'impersonate-user': `system:node:${node}`, 'impersonate-group': 'system:nodes' });
    expect((await create('own', kubeletClientRequest, as('worker-1'), spec)).status).toBe(201);
    expect(await create('foreign', kubeletClientRequest, as('worker-2'), spec)).toMatchObject({
      status: 403,
      message:
        'certificatesigningrequests.certificates.k8s.io "foreign" is forbidden: can only create a node CSR with CN=system:node:worker-2',
    });
  });
});
