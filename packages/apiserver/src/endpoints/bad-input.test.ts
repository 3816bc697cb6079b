import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestServer } from '../testdata/test-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('bad input', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start();
  });

  afterEach(async () => {
    expect(server.errors).toEqual([]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect((await server.get('/api/v1/namespaces/default')).status).toBe(200);
    await server[Symbol.asyncDispose]();
  });

  it.each([
    ['/api/v1/namespaces/%zz', 400],
    ['/api/v1/namespaces/%00', 404],
    ['/api/v1/namespaces/%2e%2e%2f', 404],
    ['//', 404],
    [`/${'x'.repeat(10_000)}`, 404],
    ['/api/v1/namespaces/default/configmaps/a//b', 404],
    ['/apis//v1/x', 404],
    ['/api/v1/__proto__', 404],
    ['/api/v1/namespaces/__proto__/configmaps/constructor', 404],
  ])('responds to GET %s with %i', async (path, status) => {
    expect((await server.get(path)).status).toBe(status);
  });

  it('rejects a body beyond the limit, whole or in chunks', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024 + 1, 0x20);
    const whole = await server.post(configMaps, large);
    expect(whole.status).toBe(413);
    expect(whole.json).toMatchObject({ reason: 'RequestEntityTooLarge' });
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        sent += 65_536;
        yield Buffer.alloc(65_536, 0x20);
      }
    }
    const request = { ...server.request('POST', configMaps), body: endless() };
    expect((await server.server.handle(request)).status).toBe(413);
    expect(sent).toBeLessThan(4 * 1024 * 1024);
  });

  it('rejects 100,000 levels of nesting', async () => {
    const arrays = '['.repeat(100_000) + ']'.repeat(100_000);
    const answer = await server.post(configMaps, `{"metadata":{"name":"a"},"x":${arrays}}`);
    expect(answer.status).toBe(400);
    const patched = await server.patch(`${configMaps}/a`, 'merge', `{"x":${arrays}}`);
    expect(patched.status).toBe(400);
  });

  it('treats __proto__ as data, or rejects it', async () => {
    const evil = '{"metadata":{"name":"a","labels":{"__proto__":"x"}},"data":{"__proto__":"y","constructor":"z"}}';
    const created = await server.post(configMaps, evil);
    expect([201, 422]).toContain(created.status);
    await server.post(configMaps, { metadata: { name: 'b' }, data: { constructor: 'c', toString: 't' } });
    expect((await server.get(`${configMaps}/b`)).json.data).toEqual({ constructor: 'c', toString: 't' });
    const merged = await server.patch(`${configMaps}/b`, 'merge', '{"__proto__":{"polluted":"yes"}}');
    expect(merged.status).toBe(200);
    const patch = [{ op: 'add', path: '/__proto__/polluted', value: 'yes' }];
    expect((await server.patch(`${configMaps}/b`, 'json', patch)).status).toBe(422);
    const deep = [{ op: 'add', path: '/constructor/prototype/polluted', value: 'yes' }];
    expect((await server.patch(`${configMaps}/b`, 'json', deep)).status).toBe(422);
  });

  it('rejects bytes that are not UTF-8', async () => {
    const body = Buffer.from('{"metadata":{"name":"a"},"data":{"a":"\xff\xfe"}}', 'latin1');
    expect((await server.post(configMaps, body)).status).toBe(400);
  });

  it('limits the number of operations and the result of JSON patches', async () => {
    await server.post(configMaps, { metadata: { name: 'a' }, data: { a: 'x' } });
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'x' }));
    expect((await server.patch(`${configMaps}/a`, 'json', many)).status).toBe(413);
    const doubling: unknown[] = [{ op: 'add', path: '/x', value: ['0123456789'] }];
    for (let i = 0; i < 40; i++) doubling.push({ op: 'copy', from: '/x', path: '/x/-' });
    expect((await server.patch(`${configMaps}/a`, 'json', doubling)).status).toBe(422);
  });

  it('responds with 400 to every invalid continue token of a list', async () => {
    const token = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const forged of ['foo', 'e30', '%%%', token({ v: 'meta.k8s.io/v1', rv: 1, start: '/../x' }), token(5)]) {
      const { status, json } = await server.get(`${configMaps}?limit=1&continue=${encodeURIComponent(forged)}`);
      expect(status).toBe(400);
      expect(json.message).toContain('continue key is not valid');
    }
  });

  it('rejects selectors of 10,000 terms without delay', async () => {
    const terms = Array.from({ length: 10_000 }, (_, i) => `label${i}=x`).join(',');
    const started = performance.now();
    expect((await server.get(`${configMaps}?labelSelector=${encodeURIComponent(terms)}`)).status).toBe(400);
    expect(performance.now() - started).toBeLessThan(200);
  });

  it('keeps control characters of a body out of headers', async () => {
    const answer = await server.post(configMaps, '{"metadata":{"name":"a"},"bo\\r\\ngus: x":1}');
    expect(answer.status).toBe(201);
    expect(String(answer.headers['warning'])).not.toMatch(/[\r\n]/);
  });
});
