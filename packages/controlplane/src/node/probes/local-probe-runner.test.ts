import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { systemClock } from '@kubewright/apimachinery';
import type { Probe } from '@kubewright/apimachinery/core/v1';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunningContainer } from '../driver.ts';
import { LocalProbeRunner } from './local-probe-runner.ts';
import { networkFault } from './network-fault.ts';

describe('LocalProbeRunner', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    // A TCP server's address is never a path.
    return (server.address() as AddressInfo).port;
  }
  async function closedPort(): Promise<number> {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    return port;
  }
  const run = (probe: Probe) =>
    new LocalProbeRunner(systemClock).run(probe, {
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: {} },
      container: { name: 'c' },
      podIP: '127.0.0.1',
      // No probe in these tests uses the container itself.
      running: {} as RunningContainer,
      kind: 'readiness',
    });

  it("reports a refused connection with the kubelet's wording and the address once", async () => {
    const port = await closedPort();
    const refused = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(await run({ tcpSocket: { port } })).toEqual({ ok: false, output: refused });
    expect(await run({ httpGet: { port, path: 'healthz' } })).toEqual({
      ok: false,
      output: `Get "http://127.0.0.1:${port}/healthz": ${refused}`,
    });
    expect(await run({ grpc: { port } })).toEqual({
      ok: false,
      output: `timeout: failed to connect service "127.0.0.1:${port}" within 1s: context deadline exceeded`,
    });
  });

  it('distinguishes failures from successes by HTTP status', async () => {
    const server = createHttpServer((request, response) => {
      response.statusCode = request.url === '/ok' ? 204 : 500;
      response.end();
    });
    const port = await listen(server);
    expect(await run({ httpGet: { port } })).toEqual({
      ok: false,
      output: 'HTTP probe failed with statuscode: 500',
    });
    expect(await run({ httpGet: { port, path: '/ok' } })).toEqual({ ok: true, output: '' });
    expect(await run({ tcpSocket: { port } })).toEqual({ ok: true, output: '' });
  });

  it('follows redirects to the same host and doubts those to another host', async () => {
    const requests: string[] = [];
    const server = createHttpServer((request, response) => {
      requests.push(`${request.url} ${request.headers['host']}`);
      const locations: Record<string, string> = {
        '/relative': '/fails',
        '/absolute': `http://127.0.0.1:${port}/fails`,
        '/circle': '/circle',
        '/elsewhere': 'http://other.example.com/',
        '/odd': 'http://[',
      };
      const location = locations[request.url ?? ''];
      response.writeHead(request.url === '/fails' ? 503 : 302, location === undefined ? {} : { location }).end('moved');
    });
    const port = await listen(server);
    const get = (path: string) =>
      run({ httpGet: { port, path, httpHeaders: [{ name: 'Host', value: 'web' }] }, timeoutSeconds: 20 });
    const failed = { ok: false, output: 'HTTP probe failed with statuscode: 503' };
    expect(await get('/relative')).toEqual(failed);
    expect(await get('/absolute')).toEqual(failed);
    expect(requests.splice(0)).toEqual(['/relative web', '/fails web', '/absolute web', `/fails 127.0.0.1:${port}`]);
    expect(await get('/circle')).toEqual({ ok: false, output: 'Get "/circle": stopped after 10 redirects' });
    expect(requests).toHaveLength(10);
    const doubted = { ok: true, output: '', warning: 'Probe terminated redirects, Response body: moved' };
    expect(await get('/elsewhere')).toEqual(doubted);
    expect(await get('/odd')).toEqual(doubted);
    expect(await get('/without-location')).toEqual(doubted);
  });

  it('reports a timeout, or a connection closed by the server', async () => {
    const silent = await listen(createServer((socket) => socket.on('error', () => {}).resume()));
    expect(await run({ httpGet: { port: silent }, timeoutSeconds: 0.05 })).toEqual({
      ok: false,
      output: `Get "http://127.0.0.1:${silent}/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    });
    const rude = await listen(createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end())));
    expect(await run({ httpGet: { port: rude } })).toEqual({
      ok: false,
      output: `Get "http://127.0.0.1:${rude}/": EOF`,
    });
    expect(await run({ httpGet: { port: rude, scheme: 'HTTPS' } })).toMatchObject({ ok: false });
  });

  it('fails for a port name that the container does not define', async () => {
    const output = 'couldn\'t find port: "web"';
    expect(await run({ httpGet: { port: 'web' } })).toEqual({ ok: false, output });
    expect(await run({ tcpSocket: { port: 'web' } })).toEqual({ ok: false, output });
  });

  it('checks the health of a whole gRPC server or one service', async () => {
    const asked: string[] = [];
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      let body = Buffer.alloc(0);
      stream.on('data', (chunk: Buffer) => {
        body = Buffer.concat([body, chunk]);
      });
      stream.on('end', () => {
        const service = body.subarray(7).toString();
        asked.push(`${headers[':path']} ${service}`);
        if (service === 'hangs') return;
        if (service === 'missing') {
          stream.respond(
            { ':status': 200, 'grpc-status': '12', 'grpc-message': 'unknown service' },
            { endStream: true },
          );
          return;
        }
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () =>
          stream.sendTrailers({ 'grpc-status': service === 'lost' ? '5' : '0', 'grpc-message': 'none such' }),
        );
        stream.end(Buffer.of(0, 0, 0, 0, 2, 0x08, service === 'ill' ? 2 : 1));
      });
    });
    const port = await listen(server as unknown as Server);
    const grpc = (service?: string, timeoutSeconds = 20) =>
      run({ grpc: { port, ...(service && { service }) }, timeoutSeconds });
    expect(await grpc()).toEqual({ ok: true, output: 'service healthy' });
    expect(await grpc('well')).toEqual({ ok: true, output: 'service healthy' });
    expect(await grpc('ill')).toEqual({ ok: false, output: 'service unhealthy (responded with "NOT_SERVING")' });
    expect((await grpc('lost')).output).toBe('error: health rpc probe failed: rpc error: code = 5 desc = none such');
    expect((await grpc('missing')).output).toBe(
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service',
    );
    expect((await grpc('hangs', 2)).output).toBe('timeout: health rpc did not complete within 2s');
    expect(asked[0]).toBe('/grpc.health.v1.Health/Check ');
    expect(asked[1]).toBe('/grpc.health.v1.Health/Check well');
    const silent = await listen(createServer((socket) => socket.on('error', () => {}).resume()));
    expect((await run({ grpc: { port: silent }, timeoutSeconds: 0.2 })).output).toContain('failed to connect service');
  });

  it("does not use Node's error messages for host errors", () => {
    const lost = Object.assign(new Error('getaddrinfo ENOTFOUND db'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' });
    expect(networkFault(lost, { host: 'db', port: 1 })).toBe('dial tcp: lookup db: no such host');
    const far = Object.assign(new Error('connect EHOSTUNREACH ::1:1'), { code: 'EHOSTUNREACH', syscall: 'connect' });
    expect(networkFault(far, { host: '::1', port: 1 })).toBe('dial tcp [::1]:1: connect: no route to host');
  });
});
