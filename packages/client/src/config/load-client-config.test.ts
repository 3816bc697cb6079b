import { describe, expect, it } from 'vitest';
import { loadClientConfig } from './load-client-config.ts';
import { fakeEnvironment, kubeconfig } from './testdata/fake-environment.ts';

const mount = '/var/run/secrets/kubernetes.io/serviceaccount';
const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const podFiles = { [`${mount}/token`]: 'pod-token\n', [`${mount}/ca.crt`]: 'CA', [`${mount}/namespace`]: 'shop' };
const file = { '/explicit': kubeconfig({ name: 'explicit' }) };
const listed = { '/listed': kubeconfig({ name: 'listed' }) };
const home = { '/home/jane/.kube/config': kubeconfig({ name: 'home' }) };

async function token(config: Awaited<ReturnType<typeof loadClientConfig>>): Promise<string | undefined> {
  return (await config.credentials.get({})).authorization;
}

describe('loadClientConfig precedence', () => {
  for (const [explicit, list, inPod, atHome] of bits(4)) {
    const expected = explicit ? 'explicit' : list ? 'listed' : inPod ? 'in-cluster' : atHome ? 'home' : 'none';
    it(`uses ${expected} with explicit=${explicit} KUBECONFIG=${list} pod=${inPod} home=${atHome}`, async () => {
      const environment = fakeEnvironment({
        env: { ...(list ? { KUBECONFIG: '/listed' } : {}), ...(inPod ? pod : {}) },
        files: { ...file, ...listed, ...(inPod ? podFiles : {}), ...(atHome ? home : {}) },
      });
      const loading = loadClientConfig({ environment, ...(explicit ? { kubeconfig: '/explicit' } : {}) });
      if (expected === 'none') {
        await expect(loading).rejects.toMatchObject({ code: 'KW2201' });
        return;
      }
      const server = expected === 'in-cluster' ? 'https://10.0.0.1:443' : `https://${expected}.test:6443`;
      expect((await loading).server).toBe(server);
    });
  }
});

describe('loadClientConfig with KUBECONFIG', () => {
  it('merges files, skips missing ones, and lets the first definition win', async () => {
    const first = kubeconfig({ name: 'dev', user: '{ token: first }' }).replace('current-context: dev\n', '');
    const second = `${kubeconfig({ name: 'dev', user: '{ token: second }' })}
- name: other
  user: { token: other }
`;
    const environment = fakeEnvironment({
      env: { KUBECONFIG: '/a/missing:/a/first::/a/second:/a/first' },
      files: { '/a/first': first, '/a/second': second },
    });
    const config = await loadClientConfig({ environment });
    expect(await token(config)).toBe('Bearer first');
    expect(config.namespace).toBe('default');
  });

  it('fails if none of the files exists, without trying other sources', async () => {
    const environment = fakeEnvironment({ env: { KUBECONFIG: '/gone', ...pod }, files: { ...podFiles, ...home } });
    await expect(loadClientConfig({ environment })).rejects.toThrow('/gone');
  });

  it('selects another context and namespace, and lists the existing contexts if the requested one is missing', async () => {
    const environment = fakeEnvironment({
      env: { KUBECONFIG: '/one:/two' },
      files: { '/one': kubeconfig({ name: 'one' }), '/two': kubeconfig({ name: 'two', namespace: 'shop' }) },
    });
    expect(await loadClientConfig({ environment, context: 'two' })).toMatchObject({
      server: 'https://two.test:6443',
      namespace: 'shop',
    });
    expect((await loadClientConfig({ environment, context: 'two', namespace: 'mine' })).namespace).toBe('mine');
    await expect(loadClientConfig({ environment, context: 'three' })).rejects.toThrow(
      'choose a context of the kubeconfig: one, two',
    );
  });
});

describe('loadClientConfig fields', () => {
  async function load(
    parts: { readonly cluster?: string; readonly user?: string },
    files: Record<string, string> = {},
  ) {
    const environment = fakeEnvironment({ files: { '/k/config': kubeconfig(parts), ...files } });
    return { environment, config: await loadClientConfig({ environment, kubeconfig: '/k/config' }) };
  }
  const base64 = (text: string): string => Buffer.from(text).toString('base64');

  it('resolves relative paths against their file', async () => {
    const { config } = await load(
      {
        cluster: '{ server: "https://x", certificate-authority: pki/ca.crt }',
        user: '{ client-certificate: pki/c.crt, client-key: ../abs.key }',
      },
      { '/k/pki/ca.crt': 'CA', '/k/pki/c.crt': 'CERT', '/abs.key': 'KEY' },
    );
    expect(config.trust.ca).toBe('CA');
    expect(await config.credentials.get({})).toMatchObject({ cert: 'CERT', key: 'KEY' });
  });

  it('gives data precedence over files', async () => {
    const { config } = await load(
      {
        cluster: `{ server: "https://x", certificate-authority: ca.crt, certificate-authority-data: ${base64('DATA-CA')} }`,
        user: `{ client-certificate: c, client-certificate-data: ${base64('DATA-CERT')}, client-key: k, client-key-data: ${base64('DATA-KEY')} }`,
      },
      { '/k/ca.crt': 'CA' },
    );
    expect(config.trust.ca).toBe('DATA-CA');
    expect(await config.credentials.get({})).toMatchObject({ cert: 'DATA-CERT', key: 'DATA-KEY' });
  });

  it('reads the connection settings of a cluster', async () => {
    const { config } = await load({
      cluster:
        '{ server: "https://x", tls-server-name: y, insecure-skip-tls-verify: true, proxy-url: "http://p:3128", disable-compression: true }',
    });
    expect(config).toMatchObject({
      trust: { serverName: 'y', insecureSkipVerify: true },
      proxyUrl: 'http://p:3128',
      compression: false,
    });
  });

  it('sends user name and password', async () => {
    const { config } = await load({ user: '{ username: jane, password: "s:cret" }' });
    expect(await token(config)).toBe(`Basic ${base64('jane:s:cret')}`);
  });

  it('sends an impersonation as headers', async () => {
    const { config } = await load({
      user: '{ token: t, as: jane, as-uid: "7", as-groups: [devs, "a,b"], as-user-extra: { "Example.com/Scopes": [x, y] } }',
    });
    expect(config.headers).toEqual({
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': ['devs', 'a,b'],
      'impersonate-extra-%45xample.com%2F%53copes': ['x', 'y'],
    });
  });

  it('rereads a token file after a minute, and immediately after a 401', async () => {
    const { config, environment } = await load(
      { user: '{ tokenFile: token, token: fallback }' },
      { '/k/token': 'one\n' },
    );
    expect(await token(config)).toBe('Bearer one');
    environment.files.set('/k/token', 'two');
    await environment.clock.advance(59_000);
    expect(await token(config)).toBe('Bearer one');
    await environment.clock.advance(1_000);
    expect(await token(config)).toBe('Bearer two');
    environment.files.set('/k/token', 'three');
    expect(config.credentials.reject(await config.credentials.get({}))).toBe(true);
    expect(await token(config)).toBe('Bearer three');
    environment.files.delete('/k/token');
    await environment.clock.advance(60_000);
    expect(await token(config)).toBe('Bearer three');
  });

  it("does not fall back to another configuration if the pod's token cannot be read", async () => {
    const environment = fakeEnvironment({
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
      files: { ...podFiles, ...home },
    });
    const refused = {
      ...environment,
      readFile: (path: string) =>
        path === `${mount}/token`
          ? Promise.reject(Object.assign(new Error('denied'), { code: 'EACCES' }))
          : environment.readFile(path),
    };
    await expect(loadClientConfig({ environment: refused })).rejects.toThrow(
      `cannot read ${mount}/token: permission denied; run chmod u+r ${mount}/token`,
    );
  });

  it('follows a rotating pod token, and writes IPv6 addresses in brackets', async () => {
    const environment = fakeEnvironment({
      env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' },
      files: { ...podFiles, ...home },
    });
    const config = await loadClientConfig({ environment });
    expect(config).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'shop', trust: { ca: 'CA' } });
    expect(await token(config)).toBe('Bearer pod-token');
    environment.files.set(`${mount}/token`, 'rotated');
    await environment.clock.advance(60_000);
    expect(await token(config)).toBe('Bearer rotated');
  });

  it('names the file and the invalid field, but no secret', async () => {
    const bad = async (text: string): Promise<string> => {
      const environment = fakeEnvironment({ files: { '/k/config': text } });
      return loadClientConfig({ environment, kubeconfig: '/k/config' }).then(
        () => 'it loaded',
        (error: Error) => error.message,
      );
    };
    expect(await bad(kubeconfig({ user: '{ token: 12345 }' }))).toBe(
      'cannot use kubeconfig /k/config: users[0]: user: token must be a string (put the value in quotes)',
    );
    expect(await bad('users: [{ name: a, user: { token: hunter2')).not.toContain('hunter2');
    expect(await bad(kubeconfig({ cluster: '{ server: "https://x", certificate-authority-data: "%%%" }' }))).toContain(
      'certificate-authority-data is not valid base64',
    );
    expect(await bad(kubeconfig({ user: '{ token: a, username: b }' }))).toContain('both a token and a username');
    expect(await bad(kubeconfig({ user: '{ auth-provider: { name: gcp } }' }))).toContain(
      'use an exec credential plugin',
    );
    expect(await bad(kubeconfig({ cluster: '{ certificate-authority: x, server: "https://x" }' }))).toContain('/k/x');
    expect(await bad('[]')).toContain('expected an object');
  });

  it('survives an alias bomb', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      );
    const environment = fakeEnvironment({ files: { '/bomb': lines.join('\n') } });
    await expect(loadClientConfig({ environment, kubeconfig: '/bomb' })).rejects.toMatchObject({ code: 'KW2202' });
  });
});

function bits(count: number): boolean[][] {
  return Array.from({ length: 2 ** count }, (_, n) => Array.from({ length: count }, (_, i) => ((n >> i) & 1) === 1));
}
