import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { HttpTuning } from './http/http-options.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { certificates, type Handler, TlsServer } from './testdata/tls-server.ts';
import { eventually, text } from './transport.contract.ts';
import type { TransportError } from './transport-error.ts';

async function withServer(
  handler: Handler,
  run: (fixture: {
    readonly server: TlsServer;
    readonly open: (options?: Partial<HttpTransportOptions>) => HttpTransport;
  }) => Promise<void>,
  options: { readonly maxConcurrentStreams?: number } = {},
): Promise<void> {
  const server = await TlsServer.start(handler, options);
  const transports: HttpTransport[] = [];
  const open = (more: Partial<HttpTransportOptions> = {}): HttpTransport => {
    const transport = new HttpTransport({ server: server.url, trust: { ca: certificates.ca }, ...more });
    transports.push(transport);
    return transport;
  };
  try {
    await run({ server, open });
  } finally {
    for (const transport of transports) await transport[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  }
}

const get = { method: 'GET', path: '/' };
const failure = (promise: Promise<unknown>): Promise<TransportError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: TransportError) => error,
  );

describe('HttpTransport connections', () => {
  it('sends many short calls over one connection', async () => {
    await withServer(
      (_, response) => response.end('ok'),
      async ({ server, open }) => {
        const transport = open();
        for (let i = 0; i < 200; i++) expect(await text((await transport.request(get)).body)).toBe('ok');
        expect(server.connections).toBe(1);
      },
    );
  });

  it('reuses HTTP/1.1 sockets', async () => {
    await withServer(
      (_, response) => response.end('ok'),
      async ({ server, open }) => {
        const transport = open({ protocols: ['http/1.1'] });
        for (let i = 0; i < 50; i++) expect(await text((await transport.request(get)).body)).toBe('ok');
        expect(server.connections).toBe(1);
      },
    );
  });

  it('uses separate connections for long-running requests', async () => {
    await withServer(
      (request, response) => (request.url === '/watch' ? response.write('x') : response.end('ok')),
      async ({ server, open }) => {
        const transport = open();
        await transport.request({ ...get, path: '/watch', longRunning: true });
        await text((await transport.request(get)).body);
        await transport.request({ ...get, path: '/watch', longRunning: true });
        expect(server.connections).toBe(2);
      },
    );
  });

  it('opens another session when streams run out', async () => {
    await withServer(
      (_, response) => response.write('x'),
      async ({ server, open }) => {
        const transport = open();
        const watches = await Promise.all(
          Array.from({ length: 35 }, () => transport.request({ ...get, longRunning: true })),
        );
        expect(watches).toHaveLength(35);
        expect(server.sessions.size).toBeGreaterThanOrEqual(4);
        expect(server.sessions.size).toBeLessThanOrEqual(8);
      },
      { maxConcurrentStreams: 10 },
    );
  });

  it.each(['h2', 'http/1.1'] as const)('passes the slot of a canceled call to the next call (%s)', async (protocol) => {
    const held: (() => void)[] = [];
    await withServer(
      (request, response) => {
        if (request.url === '/held') held.push(() => response.end('ok'));
        else response.end('ok');
      },
      async ({ open }) => {
        const transport = open({ protocols: [protocol], tuning: { maxShortSessions: 1, maxHttp1Sockets: 1 } });
        const first = transport.request({ ...get, path: '/held' });
        await eventually(() => held.length === 1);
        const giveUp = new AbortController();
        const waiting = [giveUp.signal, undefined, giveUp.signal, undefined].map((signal) =>
          transport.request({ ...get, ...(signal && { signal }) }).then(
            async (response) => text(response.body),
            () => 'gave up',
          ),
        );
        await new Promise((resolve) => setImmediate(resolve));
        giveUp.abort(new Error('given up'));
        for (const end of held) end();
        expect(await text((await first).body)).toBe('ok');
        expect(await Promise.all(waiting)).toEqual(['gave up', 'ok', 'gave up', 'ok']);
      },
      { maxConcurrentStreams: 1 },
    );
  });

  it('makes short calls wait when all sessions are full', async () => {
    let running = 0;
    let peak = 0;
    await withServer(
      (_, response) => {
        running++;
        peak = Math.max(peak, running);
        setImmediate(() => {
          running--;
          response.end('ok');
        });
      },
      async ({ server, open }) => {
        const transport = open({ tuning: { maxShortSessions: 2, maxStreamsPerSession: 5 } });
        const answers = await Promise.all(
          Array.from({ length: 200 }, async () => text((await transport.request(get)).body)),
        );
        expect(answers.every((answer) => answer === 'ok')).toBe(true);
        expect(peak).toBeLessThanOrEqual(10);
        expect(server.connections).toBeLessThanOrEqual(2);
      },
    );
  });

  it('cancels 5,000 watches on one session without ending the remaining watch', async () => {
    let first = false;
    let finish = (): void => {};
    await withServer(
      (request, response) => {
        if (request.url !== '/watch') response.end('ok');
        else if (response.write('x') && !first) {
          first = true;
          finish = () => void response.write('last');
        }
      },
      async ({ server, open }) => {
        const transport = open({ tuning: { maxStreamsPerSession: 10_000 } });
        const abort = new AbortController();
        const kept = (await transport.request({ method: 'GET', path: '/watch', longRunning: true })).body;
        const reader = kept[Symbol.asyncIterator]();
        expect((await reader.next()).done).toBe(false);
        const next = reader.next();
        const watches = await Promise.all(
          Array.from({ length: 5_000 }, () =>
            transport.request({ method: 'GET', path: '/watch', longRunning: true, signal: abort.signal }),
          ),
        );
        abort.abort(new Error('enough'));
        const ends = await Promise.allSettled(watches.map(({ body }) => text(body)));
        expect(ends.every((end) => end.status === 'rejected' && end.reason.message === 'enough')).toBe(true);
        const response = await transport.request({ ...get, longRunning: true });
        expect(await text(response.body)).toBe('ok');
        expect(server.connections).toBe(1);
        finish();
        expect(Buffer.from((await next).value as Uint8Array).toString()).toBe('last');
      },
    );
  });

  it('closes a connection after all its streams were canceled', async () => {
    await withServer(
      (_, response) => response.write('x'),
      async ({ server, open }) => {
        const transport = open();
        const abort = new AbortController();
        const watch = { ...get, longRunning: true, signal: abort.signal };
        await Promise.all(Array.from({ length: 900 }, () => transport.request(watch)));
        abort.abort();
        await eventually(() => server.sessions.size === 0);
        expect((await transport.request({ ...get, longRunning: true })).status).toBe(200);
      },
    );
  });

  it('closes an idle connection before the server would', async () => {
    const clock = new VirtualClock();
    await withServer(
      (_, response) => response.end('ok'),
      async ({ server, open }) => {
        const transport = open({ clock });
        await text((await transport.request(get)).body);
        await eventually(() => server.sessions.size === 1);
        while (server.sessions.size > 0) {
          await clock.advance(60_000);
          for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
        }
        expect(await text((await transport.request(get)).body)).toBe('ok');
        expect(server.connections).toBe(2);
      },
    );
  });
});

describe('HttpTransport faults', () => {
  it('lets a stream end after GOAWAY, and sends the next request on a new connection', async () => {
    let finish = (): void => {};
    await withServer(
      (request, response) => {
        if (request.url === '/quick') response.end('quick');
        else {
          response.write('begun ');
          finish = () => response.end('and ended');
        }
      },
      async ({ server, open }) => {
        const transport = open();
        const slow = await transport.request({ method: 'GET', path: '/slow' });
        for (const session of server.sessions) session.goaway(0);
        for (let tries = 0; server.connections < 2; tries++) {
          // A request that the client sends before the GOAWAY arrives is rejected with this error.
          const answer = await transport.request({ method: 'GET', path: '/quick' }).catch((error) => {
            expect(error).toMatchObject({ code: 'KW2004', sent: false, retryable: true });
          });
          if (answer) expect(await text(answer.body)).toBe('quick');
          expect(tries).toBeLessThan(5);
        }
        finish();
        expect(await text(slow.body)).toBe('begun and ended');
      },
    );
  });

  it('reports a request excluded by GOAWAY as not processed', async () => {
    await withServer(
      (request, response) => {
        if (request.url === '/first') response.end('ok');
        else request.stream.session?.goaway(0, 1);
      },
      async ({ open }) => {
        const transport = open();
        await text((await transport.request({ method: 'GET', path: '/first' })).body);
        const error = await failure(transport.request({ method: 'POST', path: '/', body: Buffer.from('{}') }));
        expect(error).toMatchObject({ code: 'KW2004', retryable: true, sent: false });
      },
    );
  });

  for (const protocol of ['h2', 'http/1.1'] as const) {
    it(`rejects a body truncated by a lost connection (${protocol})`, async () => {
      await withServer(
        (request, response) => {
          response.write('half of ');
          setImmediate(() => request.socket.destroy());
        },
        async ({ open }) => {
          const { body } = await open({ protocols: [protocol] }).request(get);
          const reader = body[Symbol.asyncIterator]();
          expect(Buffer.from((await reader.next()).value as Uint8Array).toString()).toBe('half of ');
          expect(await failure(reader.next())).toMatchObject({ code: 'KW2003', retryable: true, sent: true });
        },
      );
    });

    it(`reports a connection lost before the response (${protocol})`, async () => {
      await withServer(
        (request) => request.socket.destroy(),
        async ({ open }) => {
          const error = await failure(open({ protocols: [protocol] }).request(get));
          expect(error).toMatchObject({ code: 'KW2003', retryable: true, sent: true });
        },
      );
    });

    it(`decodes gzip, and rejects corrupt gzip (${protocol})`, async () => {
      const plain = 'kubernetes '.repeat(50_000);
      const zipped = gzipSync(plain);
      await withServer(
        (request, response) => {
          expect(request.headers['accept-encoding']).toBe('gzip');
          response.setHeader('content-encoding', 'gzip');
          response.end(
            request.url === '/broken' ? Buffer.concat([zipped.subarray(0, 400), Buffer.alloc(300)]) : zipped,
          );
        },
        async ({ open }) => {
          const transport = open({ protocols: [protocol], compression: true });
          expect(await text((await transport.request(get)).body)).toBe(plain);
          const broken = await transport.request({ method: 'GET', path: '/broken' });
          expect(await failure(text(broken.body))).toMatchObject({ code: 'KW2006' });
        },
      );
    });

    it(`stops a response that exceeds the limit when decoded (${protocol})`, async () => {
      const bomb = gzipSync(Buffer.alloc(20 << 20));
      await withServer(
        (_, response) => {
          response.setHeader('content-encoding', 'gzip');
          response.end(bomb);
        },
        async ({ open }) => {
          const transport = open({ protocols: [protocol], compression: true, tuning: { maxResponseBytes: 1 << 20 } });
          const { body } = await transport.request(get);
          expect(await failure(text(body))).toMatchObject({ code: 'KW2005', retryable: false });
        },
      );
    });

    it(`throttles a server that is faster than the reader (${protocol})`, async () => {
      let written = 0;
      await withServer(
        (_, response) => {
          const chunk = Buffer.alloc(65_536);
          const more = (): void => {
            while (written < 64 << 20) {
              written += chunk.byteLength;
              if (!response.write(chunk)) {
                response.once('drain', more);
                return;
              }
            }
            response.end();
          };
          more();
        },
        async ({ open }) => {
          const { body } = await open({ protocols: [protocol] }).request(get);
          await settled(() => written);
          expect(written).toBeLessThan(16 << 20);
          let size = 0;
          for await (const chunk of body) size += chunk.byteLength;
          expect(size).toBe(64 << 20);
        },
      );
    });
  }

  it('rejects a request body over the limit before connecting', async () => {
    await withServer(
      (_, response) => response.end(),
      async ({ server, open }) => {
        const tuning: HttpTuning = { maxRequestBytes: 10 };
        const error = await failure(open({ tuning }).request({ ...get, method: 'POST', body: Buffer.alloc(11) }));
        expect(error).toMatchObject({ code: 'KW2007', sent: false });
        expect(server.connections).toBe(0);
      },
    );
  });

  it('does not trust a server of another CA', async () => {
    await withServer(
      (_, response) => response.end(),
      async ({ open }) => {
        expect(await failure(open({ trust: {} }).request(get))).toMatchObject({ code: 'KW2002', sent: false });
        const misnamed = open({ trust: { ca: certificates.ca, serverName: 'other.test' } });
        expect(await failure(misnamed.request(get))).toMatchObject({ code: 'KW2002' });
        const named = open({ trust: { ca: certificates.ca, serverName: 'db.test' } });
        expect((await named.request(get)).status).toBe(200);
        expect((await open({ trust: { insecureSkipVerify: true } }).request(get)).status).toBe(200);
      },
    );
  });

  it('trusts a server by its own certificate, without the CA', async () => {
    await withServer(
      (_, response) => response.end(),
      async ({ open }) => {
        expect((await open({ trust: { ca: certificates.server.cert } }).request(get)).status).toBe(200);
        expect(await failure(open({ trust: { ca: certificates.client.cert } }).request(get))).toMatchObject({
          code: 'KW2002',
        });
      },
    );
  });

  it('detects a dead connection by PING', async () => {
    const clock = new VirtualClock();
    await withServer(
      (_, response) => response.write('x'),
      async ({ server, open }) => {
        const relay = await Relay.start(server.url);
        try {
          const transport = open({ server: relay.url, clock });
          const { body } = await transport.request({ ...get, longRunning: true });
          const reader = body[Symbol.asyncIterator]();
          await reader.next();
          const pending = failure(reader.next());
          relay.silence();
          await clock.advance(30_000);
          await clock.advance(30_000);
          await clock.advance(15_000);
          expect(await pending).toMatchObject({ code: 'KW2003', retryable: true });
        } finally {
          relay.close();
        }
      },
    );
  });

  it('keeps a quiet connection whose peer answers PING', async () => {
    const clock = new VirtualClock();
    await withServer(
      (_, response) => response.write('x'),
      async ({ server, open }) => {
        const { body } = await open({ clock }).request({ ...get, longRunning: true });
        const reader = body[Symbol.asyncIterator]();
        await reader.next();
        let answered = 0;
        for (const session of server.sessions) session.on('ping', () => answered++);
        for (let round = 1; round <= 5; round++) {
          const timers = clock.pendingTimers;
          while (answered < round) {
            await clock.advance(30_000);
            await eventually(() => clock.pendingTimers >= timers);
            for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
          }
        }
        expect(server.connections).toBe(1);
      },
    );
  });

  it('times out a connection that is not ready', async () => {
    const clock = new VirtualClock();
    const mute = createServer(() => {});
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const transport = new HttpTransport({ server: `https://127.0.0.1:${(mute.address() as AddressInfo).port}`, clock });
    const error = failure(transport.request(get));
    await clock.advance(10_000);
    expect(await error).toMatchObject({ code: 'KW2001', sent: false });
    await transport[Symbol.asyncDispose]();
    mute.close();
  });

  it('reports a server that speaks plain HTTP instead of HTTPS', async () => {
    const server = createHttpServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const transport = new HttpTransport({ server: `https://127.0.0.1:${port}` });
    const error = await failure(transport.request(get));
    expect(error).toMatchObject({ code: 'KW2002', sent: false, retryable: false });
    expect(error.message).toContain(
      `TLS handshake with 127.0.0.1:${port} failed: the server does not use TLS on this port`,
    );
    expect(error.cause).toMatchObject({ code: expect.stringMatching(/^(ERR_SSL_|EPROTO)/) });
    await transport[Symbol.asyncDispose]();
    await new Promise((resolve) => server.close(resolve));
  });

  it('reports that no server is listening', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const transport = new HttpTransport({ server: `https://127.0.0.1:${port}` });
    const error = await failure(transport.request(get));
    expect(error).toMatchObject({ code: 'KW2001', sent: false, retryable: true });
    expect(error.message).toContain(`127.0.0.1:${port}`);
  });
});

describe('HttpTransport credentials', () => {
  it('requests new credentials on 401, and retries the request once', async () => {
    let issued = 1;
    const seen: string[] = [];
    const credentials = {
      get: async () => ({ authorization: `Bearer ${issued}` }),
      reject: () => {
        issued++;
        return true;
      },
    };
    await withServer(
      (request, response) => {
        const token = request.headers.authorization ?? '';
        seen.push(token);
        response.statusCode = token === 'Bearer 2' ? 200 : 401;
        response.end(token);
      },
      async ({ open }) => {
        const response = await open({ credentials }).request(get);
        expect(response.status).toBe(200);
        expect(await text(response.body)).toBe('Bearer 2');
        expect(seen).toEqual(['Bearer 1', 'Bearer 2']);
        issued = 7;
        expect((await open({ credentials }).request(get)).status).toBe(401);
        expect(seen).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 7', 'Bearer 8']);
      },
    );
  });

  it('opens new connections for a new client certificate', async () => {
    let present = certificates.client;
    const credentials = { get: async () => present, reject: () => false };
    await withServer(
      (request, response) => {
        const socket = request.stream.session?.socket as
          | { getPeerCertificate(): { subject: { CN: string } } }
          | undefined;
        response.end(socket?.getPeerCertificate().subject.CN ?? '');
      },
      async ({ server, open }) => {
        const transport = open({ credentials });
        expect(await text((await transport.request(get)).body)).toBe('jane');
        present = certificates.renewed;
        expect(await text((await transport.request(get)).body)).toBe('jane-renewed');
        expect(server.connections).toBe(2);
        await eventually(() => server.sessions.size === 1);
      },
    );
  });
});

/** Waits until a number has stayed the same for 200 turns of the event loop. */
async function settled(read: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  while (same < 200) {
    await new Promise((resolve) => setImmediate(resolve));
    same = read() === last ? same + 1 : 0;
    last = read();
  }
}

/**
 * A proxy that forwards bytes until it is silenced. It then behaves like a cut cable: nothing arrives and nothing
 * closes.
 */
class Relay {
  readonly #server: Server;
  readonly #sockets: Socket[] = [];
  #silent = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(target: string): Promise<Relay> {
    const { connect } = await import('node:net');
    const server = createServer();
    const relay = new Relay(server);
    server.on('connection', (near) => {
      const far = connect(Number(new URL(target).port), '127.0.0.1');
      relay.#sockets.push(near, far);
      near.on('data', (chunk) => relay.#silent || far.write(chunk));
      far.on('data', (chunk) => relay.#silent || near.write(chunk));
      for (const socket of [near, far]) socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  silence(): void {
    this.#silent = true;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
