import * as crypto from 'node:crypto';
import { FieldSelector, issueCertificate, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { AuthorizationAttributes } from '../authorization/authorizer.ts';
import type { ApiRequest, ClientCertificate } from '../http/api-request.ts';
import type { ClusterClient } from './cluster-client.ts';
import { DelegatedAccess } from './delegated-access.ts';

const clock = new VirtualClock(Date.UTC(2026, 0, 2));
const life = { notBeforeMs: clock.now() - 1_000, notAfterMs: clock.now() + 86_400_000 };
const authority = (commonName: string) => {
  const subject = { commonName };
  return { ...issueCertificate({ subject, usage: 'authority', ...life }, crypto), subject };
};
const proxies = authority('proxies');
const users = authority('users');
/** A CA with the same name as the proxies' CA, but a different key. */
const impostor = authority('proxies');

function certificate(
  issuer: typeof proxies,
  commonName: string,
  organizations: readonly string[] = [],
): ClientCertificate {
  const subject = { commonName, organizations };
  const { certificate: pem } = issueCertificate({ subject, usage: 'client', issuer, ...life }, crypto);
  return { commonName, organizations, der: new crypto.X509Certificate(pem).raw };
}

function request(clientCertificate: ClientCertificate | undefined, rawHeaders: readonly string[] = []): ApiRequest {
  const headers: Record<string, string> = {};
  for (let i = 0; i < rawHeaders.length; i += 2) headers[(rawHeaders[i] ?? '').toLowerCase()] = rawHeaders[i + 1] ?? '';
  const connection = { remoteAddress: '10.0.0.1', protocol: 'h2', clientCertificate } as const;
  return { method: 'GET', path: '/', headers, rawHeaders, signal: new AbortController().signal, connection };
}

/** A cluster that responds to reviews and counts them. */
class Cluster implements ClusterClient {
  readonly asked: string[] = [];
  allowedNames: readonly string[] = ['front-proxy'];
  answers = (_spec: Readonly<Record<string, unknown>>): object => ({ allowed: true });
  failure: Error | undefined;

  async request({ path, body }: Parameters<ClusterClient['request']>[0]): Promise<unknown> {
    if (this.failure) throw this.failure;
    if (path.includes('configmaps')) {
      return {
        data: {
          'client-ca-file': users.certificate,
          'requestheader-client-ca-file': proxies.certificate,
          'requestheader-allowed-names': JSON.stringify(this.allowedNames),
          'requestheader-username-headers': '["X-Remote-User"]',
          'requestheader-uid-headers': '["X-Remote-Uid"]',
          'requestheader-group-headers': '["X-Remote-Group"]',
          'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
        },
      };
    }
    this.asked.push(path.split('/').at(-1) ?? '');
    return { status: this.answers((body as { readonly spec: Readonly<Record<string, unknown>> }).spec) };
  }
}

async function accessTo(cluster: Cluster): Promise<DelegatedAccess> {
  const access = new DelegatedAccess(cluster, { clock, onError: () => undefined, onChanged: () => undefined });
  await access.start();
  return access;
}

describe('authentication by the cluster', () => {
  it('reads the caller from the headers of a request that the API server forwarded', async () => {
    using access = await accessTo(new Cluster());
    const headers = [
      ...['X-Remote-User', Buffer.from('jürgen').toString('latin1'), 'x-remote-group', 'a', 'X-Remote-Group', 'b,c'],
      ...['X-Remote-Uid', '42', 'X-Remote-Extra-Acme.com%2Fproject', 'x', 'X-Remote-Extra-Acme.com%2Fproject', 'y'],
    ];
    expect(await access.authenticate(request(certificate(proxies, 'front-proxy'), headers))).toEqual({
      username: 'jürgen',
      uid: '42',
      groups: ['a', 'b,c'],
      extra: { 'acme.com/project': ['x', 'y'] },
    });
  });

  it('trusts the headers only with a certificate of the front proxy', async () => {
    using access = await accessTo(new Cluster());
    const headers = ['X-Remote-User', 'root', 'X-Remote-Group', 'system:masters'];
    for (const other of [undefined, certificate(impostor, 'front-proxy'), certificate(proxies, 'another')]) {
      expect(await access.authenticate(request(other, headers))).toBeUndefined();
    }
    const user = certificate(users, 'front-proxy', ['developers']);
    expect(await access.authenticate(request(user, headers))).toEqual({
      username: 'front-proxy',
      groups: ['developers'],
    });
  });

  it('allows any certificate name if the cluster lists none', async () => {
    const cluster = new Cluster();
    cluster.allowedNames = [];
    using access = await accessTo(cluster);
    const user = await access.authenticate(request(certificate(proxies, 'another'), ['X-Remote-User', 'jane']));
    expect(user).toEqual({ username: 'jane', groups: [] });
  });

  it('reviews a token at most once every ten seconds, even if it is invalid', async () => {
    const cluster = new Cluster();
    cluster.answers = ({ token }) =>
      token === 'good' ? { authenticated: true, user: { username: 'jane', groups: ['dev'] } } : { error: 'invalid' };
    using access = await accessTo(cluster);
    const ask = (token: string) => access.authenticate(request(undefined, ['Authorization', `Bearer ${token}`]));
    for (let i = 0; i < 2; i++) {
      expect(await Promise.all([ask('good'), ask('good'), ask('bad')])).toMatchObject([
        { username: 'jane', groups: ['dev'] },
        { username: 'jane' },
        undefined,
      ]);
    }
    expect(cluster.asked).toHaveLength(2);
    await clock.advance(10_000);
    await Promise.all([ask('good'), ask('bad')]);
    expect(cluster.asked).toHaveLength(4);
    cluster.failure = new Error('connection refused');
    expect(await ask('other')).toBeUndefined();
    cluster.failure = undefined;
    cluster.answers = () => ({ authenticated: true, user: { username: 'other' } });
    expect(await ask('other')).toMatchObject({ username: 'other' });
  });

  it('follows changes to the trusted CAs', async () => {
    const cluster = new Cluster();
    using access = await accessTo(cluster);
    const renamed = request(certificate(proxies, 'another'), ['X-Remote-User', 'jane']);
    expect(await access.authenticate(renamed)).toBeUndefined();
    cluster.allowedNames = ['another'];
    await clock.advance(60_000);
    expect(await access.authenticate(renamed)).toMatchObject({ username: 'jane' });
  });

  it('retries changed CAs that could not be applied', async () => {
    const cluster = new Cluster();
    const errors: unknown[] = [];
    let applied = 0;
    const fault = new Error('not a certificate');
    const onChanged = (): void => {
      applied++;
      if (applied === 2) throw fault;
    };
    using access = new DelegatedAccess(cluster, { clock, onError: (error) => errors.push(error), onChanged });
    await access.start();
    cluster.allowedNames = ['another'];
    await clock.advance(60_000);
    expect(errors).toEqual([fault]);
    await clock.advance(60_000);
    expect([applied, errors.length]).toEqual([3, 1]);
  });

  it('does not start if it cannot read the trusted CAs', async () => {
    const cluster = new Cluster();
    cluster.failure = new Error('configmaps "extension-apiserver-authentication" is forbidden');
    await expect(accessTo(cluster)).rejects.toThrow(
      /^cannot read the cluster's authentication configuration: configmaps .* is forbidden; grant the server the verb get on the ConfigMap/,
    );
  });
});

describe('authorization by the cluster', () => {
  const jane = { username: 'jane', groups: ['dev'] };
  const get = (name: string, resource: object = {}): AuthorizationAttributes => ({
    user: jane,
    verb: 'get',
    resource: { group: 'g', version: 'v1', resource: 'wells', subresource: '', namespace: 'ns', name, ...resource },
  });

  it('sends a SubjectAccessReview, and repeats it after ten seconds', async () => {
    const cluster = new Cluster();
    const specs: unknown[] = [];
    cluster.answers = (spec) => {
      specs.push(JSON.parse(JSON.stringify(spec)));
      return JSON.stringify(spec).includes('"a"') ? { allowed: true, reason: 'role' } : { allowed: false };
    };
    using access = await accessTo(cluster);
    const fieldSelector = FieldSelector.parse('spec.pump=motor,metadata.name!=x');
    for (let i = 0; i < 2; i++) {
      expect(await access.authorizer.authorize(get('a'))).toEqual({ decision: 'allow', reason: 'role' });
      expect(await access.authorizer.authorize(get('b', { fieldSelector }))).toEqual({
        decision: 'no-opinion',
        reason: '',
      });
    }
    expect(specs).toEqual([
      {
        user: 'jane',
        groups: ['dev'],
        resourceAttributes: {
          verb: 'get',
          group: 'g',
          version: 'v1',
          resource: 'wells',
          subresource: '',
          namespace: 'ns',
          name: 'a',
        },
      },
      expect.objectContaining({
        resourceAttributes: expect.objectContaining({
          fieldSelector: {
            requirements: [
              { key: 'metadata.name', operator: 'NotIn', values: ['x'] },
              { key: 'spec.pump', operator: 'In', values: ['motor'] },
            ],
          },
        }),
      }),
    ]);
    await clock.advance(10_000);
    await access.authorizer.authorize(get('a'));
    expect(specs).toHaveLength(3);
  });

  it('does not cache long requests, and denies what the cluster denies', async () => {
    const cluster = new Cluster();
    cluster.answers = () => ({ denied: true, reason: 'no' });
    using access = await accessTo(cluster);
    const long = get('x'.repeat(10_000));
    for (let i = 0; i < 2; i++) expect((await access.authorizer.authorize(long)).decision).toBe('deny');
    expect(cluster.asked).toHaveLength(2);
  });

  it('allows administrators and health checks without a review', async () => {
    const cluster = new Cluster();
    using access = await accessTo(cluster);
    const admin = { username: 'admin', groups: ['system:masters'] };
    expect(await access.authorizer.authorize({ ...get('a'), user: admin })).toMatchObject({ decision: 'allow' });
    expect(await access.authorizer.authorize({ user: jane, verb: 'get', path: '/readyz' })).toMatchObject({
      decision: 'allow',
    });
    expect(cluster.asked).toEqual([]);
    await access.authorizer.authorize({ user: jane, verb: 'get', path: '/metrics' });
    expect(cluster.asked).toEqual(['subjectaccessreviews']);
  });

  it('responds with 500 if the review fails, and reviews the next request again', async () => {
    const cluster = new Cluster();
    using access = await accessTo(cluster);
    cluster.failure = new Error('connection refused');
    await expect(access.authorizer.authorize(get('a'))).rejects.toMatchObject({
      status: { code: 500, message: 'Internal error occurred: cannot authorize the request: connection refused' },
    });
    cluster.failure = undefined;
    expect(await access.authorizer.authorize(get('a'))).toMatchObject({ decision: 'allow' });
  });
});
