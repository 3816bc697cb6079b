import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubeletClientRequest, kubeletServingRequest, rsaRequest } from '../../testdata/signing-requests.ts';
import { TestControlPlane } from '../testdata/test-control-plane.ts';

const patience = { timeout: 30_000 };
const kubelet = ['digital signature', 'client auth'] as const;

describe('certificate controllers', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
    expect(plane.rejections).toEqual([]);
  });

  async function create(
    name: string,
    spec: { readonly signer: string; readonly text: string; readonly usages: readonly string[] },
  ): Promise<CertificateSigningRequest> {
    const request = Buffer.from(spec.text).toString('base64');
    const signerName = `kubernetes.io/${spec.signer}`;
    const { usages } = spec;
    return plane.client
      .resource(CertificateSigningRequest)
      .create(CertificateSigningRequest({ metadata: { name }, spec: { request, signerName, usages } }));
  }
  const read = (name: string) => plane.client.resource(CertificateSigningRequest).get({ name });
  async function approve(csr: CertificateSigningRequest): Promise<void> {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test' } as const];
    await plane.client
      .resource(CertificateSigningRequest)
      .subresource<CertificateSigningRequest>('approval')
      .update({ ...csr, status: { conditions } });
  }
  async function certificateOf(name: string): Promise<X509Certificate> {
    await expect.poll(async () => (await read(name)).status?.certificate, patience).toBeDefined();
    return new X509Certificate(Buffer.from((await read(name)).status?.certificate ?? '', 'base64'));
  }

  it('approve and sign a kubelet client certificate if the requester is permitted to have it', async () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' } as const;
    await plane.client.resource(ClusterRoleBinding).create(
      ClusterRoleBinding({
        metadata: { name: 'approve-node-clients' },
        roleRef: { ...roleRef, name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient' },
        subjects: [{ kind: 'User', name: 'kubernetes-admin', apiGroup: 'rbac.authorization.k8s.io' }],
      }),
    );
    await create('client', { signer: 'kube-apiserver-client-kubelet', text: kubeletClientRequest, usages: kubelet });
    const certificate = await certificateOf('client');
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:worker-1');
    const { status } = await read('client');
    expect(status?.conditions).toMatchObject([
      {
        type: 'Approved',
        status: 'True',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      },
    ]);
  });

  it('sign a manually approved request, but no unapproved request', async () => {
    const spec = { signer: 'kube-apiserver-client', text: rsaRequest, usages: ['client auth'] };
    const [csr] = await Promise.all([create('by-hand', spec), create('not-approved', spec)]);
    await approve(csr);
    const certificate = await certificateOf('by-hand');
    expect(certificate.subject).toBe('O=team-a\nO=team-b\nCN=jane');
    expect((await read('not-approved')).status).toEqual({});
  });

  it('mark a request as failed if it violates the rule of its signer', async () => {
    const serving = { signer: 'kubelet-serving', usages: ['digital signature', 'server auth'] };
    await approve(await create('serving', { ...serving, text: kubeletServingRequest }));
    await approve(await create('no-names', { ...serving, text: kubeletClientRequest }));
    expect((await certificateOf('serving')).subjectAltName).toContain('DNS:worker-1.local');
    await expect.poll(async () => (await read('no-names')).status?.conditions?.length, patience).toBe(2);
    expect((await read('no-names')).status?.conditions?.[1]).toMatchObject({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'DNS or IP subjectAltName is required',
    });
  });
});
