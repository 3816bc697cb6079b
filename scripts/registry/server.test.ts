import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRegistry } from './server.mjs';

const packages = new Map([
  ['kubewright', [{ manifest: { name: 'kubewright', version: '0.1.0' }, pack: () => Buffer.from('packed') }]],
  [
    '@kubewright/runtime',
    [{ manifest: { name: '@kubewright/runtime', version: '0.1.0' }, pack: () => Buffer.from('') }],
  ],
]);
const server = createRegistry({ packages, upstream: 'https://registry.example.com/npm' });
const offline = createRegistry({ packages, upstream: undefined });

beforeAll(async () => {
  for (const each of [server, offline]) await once(each.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const each of [server, offline]) each.close();
});

const portOf = (each: typeof server): number => (each.address() as AddressInfo).port;

/** Sends the request line unmodified, because fetch would normalize it. Returns status and location. */
async function ask(target: string, { method = 'GET', at = server } = {}): Promise<readonly [number, string?]> {
  const socket = connect(portOf(at), '127.0.0.1');
  socket.write(`${method} ${target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  const location = /^location: (.*)\r$/im.exec(text)?.[1];
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
  return location === undefined ? [status] : [status, location];
}

describe('the local registry', () => {
  it.each([
    '/%zz',
    '/%',
    '/..',
    '/../../etc/passwd',
    '/%2e%2e/x',
    '/a/../../b',
    '//evil.example.com/x',
    '/http://evil.example.com/x',
    '/https:%2F%2Fevil.example.com',
    '/\\evil.example.com',
    'http://evil.example.com/kubewright',
    '/a%00b',
    '/a%0d%0alocation:%20evil',
    '/kubewright/-/0.2.0.tgz',
    '/',
  ])('responds to %s with 4xx, and keeps running', async (target) => {
    for (const at of [server, offline]) {
      const [status, location] = await ask(target, { at });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(location).toBeUndefined();
      expect(await ask('/kubewright', { at })).toEqual([200]);
    }
  });

  it('redirects requests for other packages to its upstream, and nowhere else', async () => {
    expect(await ask('/left-pad')).toEqual([307, 'https://registry.example.com/npm/left-pad']);
    expect(await ask('/@types%2fnode')).toEqual([307, 'https://registry.example.com/npm/@types%2fnode']);
    expect(await ask('/-/ping')).toEqual([307, 'https://registry.example.com/npm/-/ping']);
    const tarball = '/left-pad/-/left-pad-1.3.0.tgz';
    expect(await ask(tarball)).toEqual([307, `https://registry.example.com/npm${tarball}`]);
    expect(await ask('/left-pad', { at: offline })).toEqual([404]);
  });

  it('serves its packages, read-only', async () => {
    expect(await ask('/@kubewright%2fruntime')).toEqual([200]);
    expect(await ask('/kubewright/-/0.1.0.tgz')).toEqual([200]);
    expect(await ask('/kubewright', { method: 'HEAD' })).toEqual([200]);
    expect(await ask('/kubewright', { method: 'PUT' })).toEqual([405]);
    expect((await ask('/-/npm/v1/security/advisories/bulk', { method: 'POST' }))[0]).toBe(307);
  });
});
