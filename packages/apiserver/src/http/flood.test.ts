import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateStore } from '../certificates/certificate-store.ts';
import type { ApiHandler } from './api-request.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import type { HttpLimits } from './limits.ts';
import { readBody } from './request-body.ts';
import { jsonResponse } from './status-response.ts';

const reviewsPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=true';

describe('flood protection', () => {
  let server: HttpServer;
  const clock = new VirtualClock();
  const sessions: ClientHttp2Session[] = [];

  afterEach(async () => {
    for (const session of sessions.splice(0)) session.destroy();
    await server.close({ graceMs: 0 });
  });

  async function start(limits: Partial<HttpLimits>, handle: ApiHandler = ok): Promise<void> {
    const { serving, clientCa } = await CertificateStore.open({ clock: systemClock });
    server = await createHttpServer({
      handle,
      tls: { ...serving, clientCa },
      port: 0,
      clock,
      onError: () => undefined,
      limits,
    });
  }

  function open(): ClientHttp2Session {
    const session = connect(server.url, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    sessions.push(session);
    return session;
  }

  async function get(session: ClientHttp2Session): Promise<number | undefined> {
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => undefined);
    stream.resume();
    const [headers] = await once(stream, 'response');
    return headers[':status'];
  }

  it('admits a new client during a flood of idle HTTP/2 connections', async () => {
    await start({ maxConnections: 4 });
    const idle = Array.from({ length: 4 }, open);
    await Promise.all(idle.map((session) => once(session, 'connect')));
    const closed = once(idle[0] as ClientHttp2Session, 'close');
    expect(await get(open())).toBe(200);
    await closed;
    expect(idle.slice(1).every((session) => !session.closed)).toBe(true);
  });

  it('closes a flood of idle HTTP/2 connections after a timeout', async () => {
    await start({ firstRequestTimeoutMs: 30_000 });
    const idle = open();
    await once(idle, 'connect');
    await get(open()); // the server has now seen the first connection
    const closed = once(idle, 'close');
    await clock.advance(30_000);
    await closed;
    expect(await get(sessions[1] as ClientHttp2Session)).toBe(200);
  });

  it('holds unfinished bodies no longer than the body deadline, regardless of the query', async () => {
    let underWay = 0;
    await start({ bodyTimeoutMs: 30_000 }, async ({ body }) => {
      underWay++;
      try {
        return jsonResponse(200, { length: (await readBody(body)).length });
      } finally {
        underWay--;
      }
    });
    const session = open();
    const streams = Array.from({ length: 20 }, () =>
      session.request({ ':method': 'POST', ':path': reviewsPath, 'content-length': '10' }),
    );
    const answers = streams.map(async (stream) => {
      stream.on('error', () => undefined);
      stream.write('{');
      const [headers] = await once(stream, 'response');
      stream.resume();
      return headers[':status'] as number;
    });
    while (underWay < 20) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30_000);
    expect(await Promise.all(answers)).toEqual(streams.map(() => 504));
    expect(underWay).toBe(0);
  });
});

const ok: ApiHandler = async () => jsonResponse(200, {});
