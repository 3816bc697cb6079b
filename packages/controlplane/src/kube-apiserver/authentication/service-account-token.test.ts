import { generateKeyPairSync } from 'node:crypto';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { ServiceAccountAuthenticator } from './service-account-authenticator.ts';
import { ServiceAccountTokens } from './service-account-token.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

function setUp(key = privateKey) {
  const clock = new VirtualClock();
  return { clock, tokens: new ServiceAccountTokens({ signingKey: key, clock, random: seededRandom(1) }) };
}
const request = { namespace: 'a', serviceAccount: { name: 'sa', uid: 'u1' }, audiences: [], expirationSeconds: 600 };

describe('ServiceAccountTokens', () => {
  it('accepts its own tokens until a minute after they expire, as go-jose does', async () => {
    const { clock, tokens } = setUp();
    const { token } = tokens.issue(request);
    expect(tokens.read(token)?.sub).toBe('system:serviceaccount:a:sa');
    expect(tokens.read(token)?.aud).toEqual(['https://kubernetes.default.svc.cluster.local']);
    await clock.advance(660_000);
    expect(tokens.read(token)).toBeDefined();
    await clock.advance(1_000);
    expect(tokens.read(token)).toBeUndefined();
  });

  it('accepts tokens that become valid in up to a minute, for a clock that was set back', () => {
    const { clock, tokens } = setUp();
    const { token } = tokens.issue(request);
    clock.jumpWall(-60_000);
    expect(tokens.read(token)).toBeDefined();
    clock.jumpWall(-1_000);
    expect(tokens.read(token)).toBeUndefined();
  });

  it.each([
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 })],
    ['ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
  ])('accepts tokens that a former %s key has signed', (algorithm, former) => {
    const [clock, random] = [new VirtualClock(), seededRandom(1)];
    const { token } = new ServiceAccountTokens({ signingKey: former.privateKey, clock, random }).issue(request);
    const otherKeys = [former.publicKey];
    const tokens = new ServiceAccountTokens({ signingKey: privateKey, otherKeys, clock, random });
    expect(tokens.read(token)?.sub).toBe('system:serviceaccount:a:sa');
    expect(tokens.algorithms).toEqual(['ES256', algorithm]);
    expect(tokens.keySet().keys).toMatchObject([{ alg: 'ES256' }, { alg: algorithm, use: 'sig' }]);
    expect(tokens.read(tokens.issue(request).token)?.sub).toBe('system:serviceaccount:a:sa');
  });

  it('rejects tokens signed by another key, modified tokens, other algorithms and garbage', () => {
    const { tokens } = setUp();
    const { token } = tokens.issue(request);
    const foreign = setUp(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey).tokens.issue(request).token;
    const [, body = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const other = Buffer.from(Buffer.from(body, 'base64url').toString().replace(':sa"', ':root"')).toString(
      'base64url',
    );
    for (const bad of [
      foreign,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${token.split('.')[0]}.${other}.${signature}`,
      'x',
      '',
      '..',
      'a'.repeat(9000),
    ]) {
      expect(tokens.read(bad)).toBeUndefined();
    }
  });
});

describe('ServiceAccountAuthenticator', () => {
  const call = (token: string) => ({
    method: 'GET',
    path: '/',
    headers: { authorization: `Bearer ${token}` },
    signal: new AbortController().signal,
    connection: { remoteAddress: '127.0.0.1', protocol: 'h2' as const },
  });

  it('returns the account, its groups and the pod, and accepts the token only while account and pod exist with the same UIDs', async () => {
    const { tokens } = setUp();
    const uids = new Map([
      ['serviceaccounts/a/sa', 'u1'],
      ['pods/a/p', 'u2'],
    ]);
    const authenticator = new ServiceAccountAuthenticator({
      tokens,
      read: async ({ resource, namespace, name }) => {
        const uid = uids.get(`${resource}/${namespace}/${name}`);
        return uid === undefined ? undefined : { apiVersion: 'v1', kind: 'X', metadata: { name, uid } };
      },
    });
    const { token } = tokens.issue({ ...request, pod: { name: 'p', uid: 'u2' } });
    const user = await authenticator.authenticate(call(token));
    expect(user?.username).toBe('system:serviceaccount:a:sa');
    expect(user?.groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:a']);
    expect(user?.extra?.['authentication.kubernetes.io/pod-name']).toEqual(['p']);
    uids.set('pods/a/p', 'another');
    expect(await authenticator.authenticate(call(token))).toBeUndefined();
    uids.set('pods/a/p', 'u2');
    uids.delete('serviceaccounts/a/sa');
    expect(await authenticator.authenticate(call(token))).toBeUndefined();
  });

  it('rejects a token whose node is gone, or whose bound object should have been deleted a minute ago', async () => {
    const { clock, tokens } = setUp();
    const objects = new Map([
      ['serviceaccounts/sa', { uid: 'u1' }],
      ['nodes/n', { uid: 'u3' }],
    ]) as Map<string, { uid: string; deletionTimestamp?: string }>;
    const authenticator = new ServiceAccountAuthenticator({
      tokens,
      read: async ({ resource, name }) => {
        const metadata = objects.get(`${resource}/${name}`);
        return metadata && { apiVersion: 'v1', kind: 'X', metadata };
      },
    });
    const { token } = tokens.issue({ ...request, node: { name: 'n', uid: 'u3' } });
    expect(await authenticator.authenticate(call(token))).toBeDefined();
    objects.delete('nodes/n');
    expect(await authenticator.authenticate(call(token))).toBeUndefined();
    objects.set('nodes/n', { uid: 'u3' });
    objects.set('serviceaccounts/sa', { uid: 'u1', deletionTimestamp: new Date(clock.now()).toISOString() });
    await clock.advance(60_000);
    expect(await authenticator.authenticate(call(token))).toBeDefined();
    await clock.advance(1_000);
    expect(await authenticator.authenticate(call(token))).toBeUndefined();
  });

  it('accepts a token only for its own audiences', async () => {
    const { tokens } = setUp();
    const authenticator = new ServiceAccountAuthenticator({
      tokens,
      read: async () => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { uid: 'u1' } }),
    });
    const { token } = tokens.issue({ ...request, audiences: ['vault'] });
    expect(await authenticator.authenticate(call(token))).toBeUndefined();
    expect((await authenticator.review(token, ['vault', 'x']))?.audiences).toEqual(['vault']);
  });
});
