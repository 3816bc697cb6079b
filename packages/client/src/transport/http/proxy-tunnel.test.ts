import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpTransport } from '../http-transport.ts';
import { certificates, TlsServer } from '../testdata/tls-server.ts';
import { text } from '../transport.contract.ts';
import { proxyCredentials } from './proxy-tunnel.ts';

async function proxy(run: (address: string, log: string[]) => Promise<void>): Promise<void> {
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request, socket) => {
    log.push(`${request.url} ${request.headers['proxy-authorization'] ?? 'anonymous'}`);
    if (request.headers['proxy-authorization'] === undefined) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const far = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await run(`127.0.0.1:${(server.address() as AddressInfo).port}`, log);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

describe('HttpTransport through a proxy', () => {
  it('requests a tunnel once, and speaks TLS with the server through it', async () => {
    await using server = await TlsServer.start((_, response) => response.end('through'));
    await proxy(async (address, log) => {
      await using transport = new HttpTransport({
        server: server.url,
        trust: { ca: certificates.ca },
        proxyUrl: `http://jane:p%40ss@${address}`,
      });
      for (let i = 0; i < 5; i++) {
        expect(await text((await transport.request({ method: 'GET', path: '/' })).body)).toBe('through');
      }
      expect(log).toEqual([
        `127.0.0.1:${new URL(server.url).port} Basic ${Buffer.from('jane:p@ss').toString('base64')}`,
      ]);
    });
  });

  it("reports the proxy's response, and unsupported kinds of proxies", async () => {
    await proxy(async (address) => {
      const open = (proxyUrl: string) => new HttpTransport({ server: 'https://127.0.0.1:1', proxyUrl });
      await using refused = open(`http://${address}`);
      await expect(refused.request({ method: 'GET', path: '/' })).rejects.toMatchObject({
        code: 'KW2009',
        sent: false,
      });
      await using socks = open('socks5://127.0.0.1:1080');
      await expect(socks.request({ method: 'GET', path: '/' })).rejects.toThrow('only http and https proxies');
    });
  });
});

describe('proxyCredentials', () => {
  it.each([
    ['http://proxy', undefined],
    ['http://jane:p%40ss@proxy', 'jane:p@ss'],
    ['http://jane:50%off@proxy', 'jane:50%off'],
    ['http://:token@proxy', ':token'],
  ])('of %s are %s', (url, pair) => {
    const header = pair && { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
    expect(proxyCredentials(new URL(url))).toEqual(header ?? {});
  });
});
