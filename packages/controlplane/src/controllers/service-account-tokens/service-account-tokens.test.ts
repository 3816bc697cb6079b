import { isNotFound } from '@kubewright/apimachinery';
import { TokenReview } from '@kubewright/apimachinery/authentication/v1';
import { Namespace, Secret, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestControlPlane } from '../testdata/test-control-plane.ts';

const patience = { timeout: 30_000 };
const namespace = 'tokens';
const type = 'kubernetes.io/service-account-token';

describe('service account tokens', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
    await plane.client.resource(Namespace).create(Namespace({ metadata: { name: namespace } }));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
    expect(plane.rejections).toEqual([]);
  });

  const account = (name: string) =>
    plane.client.resource(ServiceAccount).create(ServiceAccount({ metadata: { namespace, name } }));
  const secretFor = (name: string, accountName: string) => {
    const annotations = { 'kubernetes.io/service-account.name': accountName };
    return plane.client.resource(Secret).create(Secret({ metadata: { namespace, name, annotations }, type }));
  };
  const read = (name: string) => plane.client.resource(Secret).get({ namespace, name });
  const text = (secret: Secret, key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
  const isGone = async (name: string): Promise<boolean> => {
    try {
      await read(name);
      return false;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return true;
    }
  };
  async function filled(name: string): Promise<Secret> {
    await expect.poll(async () => text(await read(name), 'token'), patience).not.toBe('');
    return read(name);
  }
  async function review(token: string): Promise<TokenReview['status']> {
    const answer = await plane.client.resource(TokenReview).create(TokenReview({ metadata: {}, spec: { token } }));
    return answer.status;
  }

  it('fills a Secret with a token that authenticates, the CA certificate and the namespace', async () => {
    const { metadata } = await account('builder');
    await secretFor('builder-token', 'builder');
    const secret = await filled('builder-token');
    expect(text(secret, 'namespace')).toBe(namespace);
    expect(text(secret, 'ca.crt')).toBe('a certificate');
    expect(secret.metadata.annotations).toEqual({
      'kubernetes.io/service-account.name': 'builder',
      'kubernetes.io/service-account.uid': metadata.uid,
    });
    expect(await review(text(secret, 'token'))).toMatchObject({
      authenticated: true,
      user: {
        username: `system:serviceaccount:${namespace}:builder`,
        uid: metadata.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
      },
    });
  });

  it('records the day on which a token was last used', async () => {
    await account('used');
    await secretFor('used-token', 'used');
    await review(text(await filled('used-token'), 'token'));
    const label = async () => (await read('used-token')).metadata.labels?.['kubernetes.io/legacy-token-last-used'];
    await expect.poll(label, patience).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('rejects a token once its Secret holds another token, is marked invalid, or is deleted', async () => {
    await account('revoked');
    for (const name of ['changed', 'marked', 'deleted']) await secretFor(name, 'revoked');
    const secrets = plane.client.resource(Secret);
    const [changed, marked, deleted] = [await filled('changed'), await filled('marked'), await filled('deleted')];
    const tokens = [changed, marked, deleted].map((secret) => text(secret, 'token'));
    for (const token of tokens) expect(await review(token)).toMatchObject({ authenticated: true });
    const data = { token: Buffer.from('other').toString('base64') };
    await secrets.patch({ namespace, name: 'changed' }, { type: 'merge', body: { data } });
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' };
    await secrets.patch({ namespace, name: 'marked' }, { type: 'merge', body: { metadata: { labels } } });
    await secrets.delete({ namespace, name: 'deleted' });
    for (const token of tokens) expect((await review(token))?.authenticated ?? false).toBe(false);
  });

  it('fills in fields that were removed from a Secret', async () => {
    await account('again');
    await secretFor('again-token', 'again');
    const { data } = await filled('again-token');
    await plane.client
      .resource(Secret)
      .patch(
        { namespace, name: 'again-token' },
        { type: 'merge', body: { data: { 'ca.crt': null, namespace: null } } },
      );
    await expect.poll(async () => (await read('again-token')).data, patience).toEqual(data);
  });

  it('deletes Secrets whose account is deleted or never existed', async () => {
    await account('leaving');
    await secretFor('leaving-token', 'leaving');
    await filled('leaving-token');
    await secretFor('never-token', 'never');
    await plane.client.resource(ServiceAccount).delete({ namespace, name: 'leaving' });
    await expect.poll(() => isGone('leaving-token'), patience).toBe(true);
    await expect.poll(() => isGone('never-token'), patience).toBe(true);
  });

  it('removes a deleted Secret from the secrets list of its account', async () => {
    const listed = await account('listed');
    await secretFor('listed-token', 'listed');
    await filled('listed-token');
    const accounts = plane.client.resource(ServiceAccount);
    await accounts.update({ ...listed, secrets: [{ name: 'listed-token' }, { name: 'other' }] });
    await plane.client.resource(Secret).delete({ namespace, name: 'listed-token' });
    const secrets = async () => (await accounts.get({ namespace, name: 'listed' })).secrets;
    await expect.poll(secrets, patience).toEqual([{ name: 'other' }]);
  });
});
