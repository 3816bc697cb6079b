import type { ApiResponse } from '@kubewright/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const maps = '/api/v1/namespaces/a/configmaps';
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/a';

/** An open watch that collects the names in its events. */
class OpenWatch {
  readonly names: string[] = [];
  readonly ended: Promise<void>;

  constructor({ body }: ApiResponse) {
    this.ended = this.#read(body);
  }

  async #read(body: ApiResponse['body']): Promise<void> {
    for await (const chunk of body as AsyncIterable<Uint8Array>)
      for (const line of Buffer.from(chunk).toString('utf8').trim().split('\n'))
        this.names.push(JSON.parse(line).object.metadata.name);
  }
}

// kube-apiserver authenticates and authorizes a request only once, when it arrives. Watches end after 30 to 60 minutes.
describe('a watch', () => {
  let plane: PlaneUnderTest;
  let token: string;
  const as = () => ({ authorization: `Bearer ${token}` });

  beforeEach(async () => {
    plane = await PlaneUnderTest.start();
    const created = async (path: string, body: unknown): Promise<string> => {
      const { status, text } = await plane.send('POST', path, body);
      expect(status, text).toBe(201);
      return text;
    };
    await created('/api/v1/namespaces', { metadata: { name: 'a' } });
    await created('/api/v1/namespaces/a/serviceaccounts', { metadata: { name: 'reader' } });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }];
    await created(`${rbac}/roles`, { metadata: { name: 'reader' }, rules });
    await created(`${rbac}/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'a' }],
    });
    const request = { spec: { expirationSeconds: 600 } };
    token = JSON.parse(await created('/api/v1/namespaces/a/serviceaccounts/reader/token', request)).status.token;
  });
  afterEach(() => plane[Symbol.asyncDispose]());

  async function open(): Promise<OpenWatch> {
    const response = await plane.plane.handle({
      method: 'GET',
      path: `${maps}?watch=1&resourceVersion=0&fieldSelector=metadata.name!=kube-root-ca.crt`,
      headers: as(),
      signal: new AbortController().signal,
      connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
    });
    expect(response.status).toBe(200);
    return new OpenWatch(response);
  }

  async function sees(watch: OpenWatch, name: string): Promise<void> {
    await plane.send('POST', maps, { metadata: { name } });
    await plane.clock.advance(1_000);
    expect(watch.names).toContain(name);
  }

  it('continues after its token has expired, until its own timeout', async () => {
    const watch = await open();
    await plane.clock.advance(20 * 60_000);
    expect((await plane.send('GET', maps, undefined, as())).status).toBe(401);
    await sees(watch, 'after-the-token');
    await plane.clock.advance(60 * 60_000);
    await watch.ended;
  });

  it('continues after its permission was revoked, while a new watch is forbidden', async () => {
    const watch = await open();
    expect((await plane.send('DELETE', `${rbac}/rolebindings/reader`)).status).toBe(200);
    expect((await plane.send('GET', `${maps}?watch=true`, undefined, as())).status).toBe(403);
    await sees(watch, 'after-the-permission');
    await plane.clock.advance(60 * 60_000);
    await watch.ended;
  });

  it('continues after its account was deleted, while a new watch is unauthorized', async () => {
    const watch = await open();
    expect((await plane.send('DELETE', '/api/v1/namespaces/a/serviceaccounts/reader')).status).toBe(200);
    expect((await plane.send('GET', `${maps}?watch=true`, undefined, as())).status).toBe(401);
    await sees(watch, 'after-the-account');
    await plane.clock.advance(60 * 60_000);
    await watch.ended;
  });
});
