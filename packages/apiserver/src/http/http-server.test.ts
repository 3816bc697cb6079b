import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { request as request1 } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateStore } from '../certificates/certificate-store.ts';
import { type ApiHandler, type ApiRequest, type ApiResponse, hijacked } from './api-request.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import type { HttpLimits } from './limits.ts';
import { readBody } from './request-body.ts';
import { canSetResetLimits } from './reset-budget.ts';
import { failure, jsonResponse } from './status-response.ts';

const text = (body: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from(body),
});

/** Polls until a condition holds, bounded by the test's own timeout. */
async function eventually(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

describe('HttpServer', () => {
  let certificates: CertificateStore;
  let server: HttpServer;
  let session: ClientHttp2Session | undefined;
  let opened = 0;
  const errors: unknown[] = [];

  beforeEach(async () => {
    opened = 0;
    certificates = await CertificateStore.open({ clock: systemClock });
    errors.length = 0;
  });
  afterEach(async () => {
    session?.destroy();
    session = undefined;
    await server.close({ graceMs: 0 });
  });

  async function start(handle: ApiHandler, limits?: Partial<HttpLimits>): Promise<void> {
    const { serving, clientCa } = certificates;
    server = await createHttpServer({
      handle,
      tls: { ...serving, clientCa },
      port: 0,
      clock: systemClock,
      onError: (error) => errors.push(error),
      limits,
    });
  }

  function open(client: { readonly key?: string; readonly certificate?: string } = {}): ClientHttp2Session {
    opened++;
    session = connect(server.url, {
      ca: certificates.ca,
      ...(client.key ? { key: client.key, cert: client.certificate } : {}),
      maxSessionMemory: 512,
    });
    session.on('error', () => undefined);
    return session;
  }

  function get(path: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream {
    // Like a real client, continues on a new connection when the server requests it (GOAWAY).
    const stream = (!session || session.closed ? open() : session).request({ ':path': path, ...headers });
    stream.on('error', () => undefined);
    return stream;
  }

  async function read(stream: ClientHttp2Stream): Promise<Answer> {
    const [headers] = await once(stream, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return { status: headers[':status'], headers, body: Buffer.concat(chunks) };
  }

  function http1(
    path: string,
    options: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: Buffer } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { method = 'GET', headers, body } = options;
      const request = request1(`${server.url}${path}`, {
        ca: certificates.ca,
        method,
        ...(headers ? { headers } : {}),
        agent: false,
      });
      request.on('error', reject);
      request.on('response', (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      });
      request.end(body);
    });
  }

  describe('requests', () => {
    const echo: ApiHandler = async (request) => {
      const { method, path, headers, connection } = request;
      const body = Buffer.from(await readBody(request.body)).toString();
      return jsonResponse(200, { method, path, agent: headers['user-agent'], protocol: connection.protocol, body });
    };

    it('responds over HTTP/2', async () => {
      await start(echo);
      const stream = get('/api?x=1', { ':method': 'POST', 'user-agent': 'test' });
      stream.end('hello');
      const { status, headers, body } = await read(stream);
      expect(status).toBe(200);
      expect(headers['content-length']).toBe(`${body.length}`);
      expect(JSON.parse(body.toString())).toEqual({
        method: 'POST',
        path: '/api?x=1',
        agent: 'test',
        protocol: 'h2',
        body: 'hello',
      });
    });

    it('responds over HTTP/1.1', async () => {
      await start(echo);
      const { body } = await http1('/api?x=1', {
        method: 'PUT',
        headers: { 'user-agent': 'test' },
        body: Buffer.from('hello'),
      });
      expect(JSON.parse(body.toString())).toEqual({
        method: 'PUT',
        path: '/api?x=1',
        agent: 'test',
        protocol: 'http/1.1',
        body: 'hello',
      });
    });

    it('rejects bodies over the limit, declared or not, over both protocols', async () => {
      await start(echo);
      const large = Buffer.alloc(4 * 1024 * 1024, 'x');
      const expected = {
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: limit is 3145728',
      };
      for (const headers of [{}, { 'content-length': large.length }]) {
        const stream = get('/', { ':method': 'POST', ...headers });
        stream.end(large);
        const { status, body } = await read(stream);
        expect(status).toBe(413);
        expect(JSON.parse(body.toString())).toMatchObject(expected);
      }
      const { status, body } = await http1('/', { method: 'POST', body: large });
      expect(status).toBe(413);
      expect(JSON.parse(body.toString())).toMatchObject(expected);
      expect((await read(get('/after'))).status).toBe(200);
      expect(errors).toEqual([]);
    });

    it('rejects headers over the limit', async () => {
      await start(echo);
      expect((await http1('/', { headers: { 'x-large': 'x'.repeat(70_000) } })).status).toBe(431);
      const stream = get('/', { 'x-large': 'x'.repeat(70_000) });
      await once(stream.resume(), 'close').catch(() => undefined);
      expect(stream.rstCode).not.toBe(0);
      expect((await http1('/')).status).toBe(200);
    });
  });

  describe('client certificates', () => {
    const who: ApiHandler = async ({ connection }) =>
      jsonResponse(200, { certificate: connection.clientCertificate, error: connection.clientCertificateError });

    it('identifies the client by a certificate that its CA signed', async () => {
      await start(who);
      const pair = await certificates.clientCertificate('admin', { commonName: 'ann', organizations: ['a', 'b'] });
      open(pair);
      const { body } = await read(get('/'));
      expect(JSON.parse(body.toString())).toMatchObject({
        certificate: { commonName: 'ann', organizations: ['a', 'b'] },
      });
    });

    it('works without a client certificate', async () => {
      await start(who);
      expect(JSON.parse((await read(get('/'))).body.toString())).toEqual({});
    });

    it('reports a certificate signed by another CA', async () => {
      await start(who);
      const other = await CertificateStore.open({ clock: systemClock });
      open(await other.clientCertificate('admin', { commonName: 'mallory' }));
      const { certificate, error } = JSON.parse((await read(get('/'))).body.toString());
      expect(certificate).toBeUndefined();
      expect(error).toMatch(/UNABLE_TO_VERIFY|SELF_SIGNED|SIGNATURE/);
    });
  });

  describe('responses', () => {
    it('turns a thrown StatusError into its response, and any other error into a 500', async () => {
      await start(async ({ path }) => {
        if (path === '/status') throw failure(409, { reason: 'Conflict', message: 'no' });
        throw new RangeError('secret detail');
      });
      expect(JSON.parse((await read(get('/status'))).body.toString())).toMatchObject({ code: 409, reason: 'Conflict' });
      const { status, body } = await read(get('/panic'));
      expect(status).toBe(500);
      expect(JSON.parse(body.toString())).toMatchObject({ kind: 'Status', reason: 'InternalError' });
      expect(body.toString()).not.toContain('secret');
      expect(errors).toHaveLength(1);
    });

    it('survives headers that cannot be sent', async () => {
      await start(async ({ path }) => ({ ...text('x'), headers: path === '/bad' ? { warning: 'a\nb' } : {} }));
      const stream = get('/bad');
      await once(stream.resume(), 'close').catch(() => undefined);
      expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
      await expect(http1('/bad')).rejects.toThrow();
      expect((await read(get('/good'))).status).toBe(200);
      expect(errors).toHaveLength(2);
    });

    it('compresses large responses for clients that accept gzip', async () => {
      const large = 'kubernetes '.repeat(20_000);
      await start(async ({ path }) => text(path === '/large' ? large : 'small'));
      const packed = await read(get('/large', { 'accept-encoding': 'gzip' }));
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(packed.headers['vary']).toBe('Accept-Encoding');
      expect(gunzipSync(packed.body).toString()).toBe(large);
      for (const encoding of ['gzip;q=0', 'identity', undefined]) {
        const plain = await read(get('/large', encoding === undefined ? {} : { 'accept-encoding': encoding }));
        expect(plain.headers['content-encoding']).toBeUndefined();
        expect(plain.body.toString()).toBe(large);
      }
      expect((await read(get('/small', { 'accept-encoding': 'gzip' }))).headers['content-encoding']).toBeUndefined();
    });

    it('responds with 504 at the deadline and aborts the handler', async () => {
      let reason: unknown;
      await start(
        ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reason = signal.reason;
              reject(signal.reason);
            });
          }),
        { requestTimeoutMs: 20 },
      );
      const { status, body } = await read(get('/api/v1/pods'));
      expect(status).toBe(504);
      expect(JSON.parse(body.toString()).message).toBe('Timeout: request did not complete within the allotted timeout');
      expect(reason).toBeDefined();
      expect((await http1('/slow')).status).toBe(504);
      expect(errors).toEqual([]);
    });
  });

  describe('streams', () => {
    /** Yields chunks until stopped, and counts them. */
    function endless(chunk: Buffer): {
      readonly state: { produced: number; ended: boolean };
      readonly handle: ApiHandler;
    } {
      const state = { produced: 0, ended: false };
      async function* produce(): AsyncGenerator<Uint8Array> {
        try {
          for (;;) {
            state.produced++;
            yield chunk;
          }
        } finally {
          state.ended = true;
        }
      }
      return { state, handle: async () => ({ status: 200, headers: {}, body: produce() }) };
    }

    it.each(['h2', 'http/1.1'] as const)('stops producing for a client that does not read (%s)', async (protocol) => {
      const { state, handle } = endless(Buffer.alloc(16 * 1024));
      await start(handle);
      let stop: () => void;
      if (protocol === 'h2') {
        const stream = get('/?watch=true');
        await once(stream, 'response');
        stop = () => stream.close(constants.NGHTTP2_CANCEL);
      } else {
        const request = request1(`${server.url}/?watch=true`, { ca: certificates.ca });
        request.on('error', () => undefined);
        request.end();
        await once(request, 'response');
        stop = () => void request.destroy();
      }
      let before = -1;
      while (before !== state.produced) {
        before = state.produced;
        for (let turn = 0; turn < 2000; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(state.ended).toBe(false);
      expect(state.produced).toBeLessThan(2000);
      stop();
      await eventually(() => state.ended);
    });

    it('aborts a stream when its source fails, so that the client notices', async () => {
      await start(async () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          yield Buffer.from('part');
          throw new Error('source failed');
        })(),
      }));
      const stream = get('/');
      await once(stream.resume(), 'close').catch(() => undefined);
      expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
      await expect(http1('/')).rejects.toThrow();
      expect(errors).toHaveLength(2);
    });

    it('serves 1,000 slow readers and still responds to others', async () => {
      const { handle } = endless(Buffer.alloc(32 * 1024));
      await start(async (request) => (request.path === '/quick' ? text('ok') : handle(request)));
      const sessions = [open(), open(), open()];
      const slow = Array.from({ length: 1000 }, (_, n) => sessions[n % 3]?.request({ ':path': '/?watch=true' }));
      for (const stream of slow) stream?.on('error', () => undefined);
      await Promise.all(slow.map((stream) => once(stream as ClientHttp2Stream, 'response')));
      expect((await http1('/quick')).body.toString()).toBe('ok');
      expect((await read(get('/quick'))).body.toString()).toBe('ok');
      for (const stream of sessions) stream.destroy();
    });

    it('survives 5,000 watches canceled on one connection', async () => {
      let ended = 0;
      const handle = async ({ path, signal }: ApiRequest): Promise<ApiResponse> => {
        if (path === '/quick') return text('ok');
        async function* wait(): AsyncGenerator<Uint8Array> {
          yield Buffer.from('{}\n');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          ended++;
        }
        return { status: 200, headers: {}, body: wait() };
      };
      await start(handle);
      // Like any client, retries a request on the new connection if the server rejected it because of its GOAWAY.
      const watch = async (): Promise<ClientHttp2Stream> => {
        for (;;) {
          const stream = get('/?watch=true');
          const error = await once(stream, 'data').then(
            () => undefined,
            () => stream.rstCode,
          );
          if (error === undefined) return stream;
          expect(error).toBe(constants.NGHTTP2_REFUSED_STREAM);
        }
      };
      for (let round = 0; round < 10; round++) {
        const watches = await Promise.all(Array.from({ length: 500 }, () => watch()));
        for (const stream of watches) stream.close(constants.NGHTTP2_CANCEL);
      }
      await eventually(() => ended === 5000);
      expect((await http1('/quick')).body.toString()).toBe('ok');
      if (!canSetResetLimits(process.versions.node)) return;
      expect((await read(get('/quick'))).body.toString()).toBe('ok');
      expect(opened).toBe(1);
    });
  });

  describe('protocol switches', () => {
    it('hands the raw socket to a handler that takes it', async () => {
      await start(async (request) => {
        const { stream } = request.upgrade?.() ?? expect.unreachable();
        stream.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
        stream.pipe(stream);
        return hijacked;
      });
      const request = request1(`${server.url}/exec`, {
        ca: certificates.ca,
        headers: { connection: 'Upgrade', upgrade: 'echo' },
      });
      request.end();
      const [, socket] = await once(request, 'upgrade');
      socket.write('ping');
      const [echoed] = await once(socket, 'data');
      expect(echoed.toString()).toBe('ping');
      socket.destroy();
    });

    it('responds normally when no handler takes the upgrade', async () => {
      await start(async () => jsonResponse(400, { message: 'no upgrade here' }));
      const { status, body } = await http1('/exec', { headers: { connection: 'Upgrade', upgrade: 'echo' } });
      expect(status).toBe(400);
      expect(JSON.parse(body.toString())).toEqual({ message: 'no upgrade here' });
    });
  });

  describe('startup and shutdown', () => {
    it('explains why it cannot listen', async () => {
      await start(async () => text('x'));
      const { serving, clientCa } = certificates;
      const second = createHttpServer({
        handle: async () => text('y'),
        tls: { ...serving, clientCa },
        port: server.port,
        clock: systemClock,
        onError: () => undefined,
      });
      await expect(second).rejects.toMatchObject({
        code: 'KW5101',
        what: `the API server cannot listen on 127.0.0.1:${server.port}`,
        why: 'another process is using this port',
        remedy: 'stop the other process, or use another port (0 selects a free port)',
      });
    });

    it('ends watches cleanly and finishes requests in progress on close', async () => {
      let release: (() => void) | undefined;
      await start(async ({ path, signal }) => {
        if (path === '/slow') {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return text('finished');
        }
        async function* wait(): AsyncGenerator<Uint8Array> {
          yield Buffer.from('first');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        }
        return { status: 200, headers: {}, body: wait() };
      });
      const [watch, slow] = [get('/api/v1/pods?watch=true'), get('/slow')];
      await once(watch, 'data');
      await eventually(() => release !== undefined);
      const closing = server.close({ graceMs: 5000 });
      await once(watch, 'end');
      expect(watch.rstCode).toBe(0);
      release?.();
      expect((await read(slow)).body.toString()).toBe('finished');
      await closing;
    });

    it('stops waiting after the grace period', async () => {
      await start(() => new Promise(() => undefined));
      const stream = get('/').resume();
      await once(stream, 'ready');
      await server.close({ graceMs: 10 });
      await eventually(() => stream.destroyed);
    });

    it('uses new certificates for new connections', async () => {
      await start(async () => text('x'));
      const other = await CertificateStore.open({ clock: systemClock });
      server.setTls({ ...other.serving, clientCa: other.clientCa });
      await expect(http1('/')).rejects.toThrow(/certificate|signature/);
      certificates = other;
      expect((await http1('/')).status).toBe(200);
    });
  });

  it('has a URL with the loopback address if it listens on all addresses', async () => {
    const { serving, clientCa } = certificates;
    const everywhere = await createHttpServer({
      handle: async () => jsonResponse(200, {}),
      tls: { ...serving, clientCa },
      host: '0.0.0.0',
      port: 0,
      clock: systemClock,
      onError: (error) => errors.push(error),
    });
    expect(everywhere.host).toBe('0.0.0.0');
    expect(everywhere.url).toBe(`https://127.0.0.1:${everywhere.port}`);
    await everywhere.close({ graceMs: 0 });
  });
});
