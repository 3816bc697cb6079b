import { connect, type TLSSocket } from 'node:tls';
import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CertificateStore } from '../certificates/certificate-store.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { readBody } from './request-body.ts';
import { jsonResponse } from './status-response.ts';

describe('slow clients', () => {
  let server: HttpServer;

  beforeEach(async () => {
    const { serving, clientCa } = await CertificateStore.open({ clock: systemClock });
    server = await createHttpServer({
      handle: async ({ body }) => jsonResponse(200, { length: (await readBody(body)).length }),
      tls: { ...serving, clientCa },
      port: 0,
      clock: systemClock,
      onError: () => undefined,
      limits: { headersTimeoutMs: 100, requestTimeoutMs: 300 },
    });
  });
  afterEach(() => server.close({ graceMs: 0 }));

  function answerTo(text: string): Promise<string> {
    return new Promise((resolve) => {
      const socket: TLSSocket = connect({ port: server.port, host: server.host, rejectUnauthorized: false });
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1');
        if (answer.endsWith('}') || answer.endsWith('}\n')) socket.destroy();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(answer));
      socket.write(text);
    });
  }

  it('lose the connection when their headers take too long', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toMatch(/^HTTP\/1.1 408 /);
  });

  it('get a 504 when their body takes too long', async () => {
    const answer = await answerTo('POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    expect(answer).toMatch(/^HTTP\/1.1 504 [\s\S]*"reason":"Timeout"/);
  });

  it('lose a large response that they do not read', async () => {
    const clock = new VirtualClock();
    const { serving, clientCa } = await CertificateStore.open({ clock: systemClock });
    const length = 64 * 1024 * 1024;
    const generous = await createHttpServer({
      handle: async () => ({ status: 200, headers: {}, body: Buffer.alloc(length) }),
      tls: { ...serving, clientCa },
      port: 0,
      clock,
      onError: () => undefined,
    });
    const socket = connect({ port: generous.port, host: generous.host, rejectUnauthorized: false });
    let received = 0;
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk.length;
        socket.pause();
        resolve();
      });
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    });
    await clock.advance(60_000);
    socket.removeAllListeners('data');
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await closed;
    expect(received).toBeLessThan(length);
    await generous.close({ graceMs: 0 });
  });

  it('lose a stream that they have not read for a minute', async () => {
    const clock = new VirtualClock();
    const { serving, clientCa } = await CertificateStore.open({ clock: systemClock });
    let hasEnded = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.alloc(128 * 1024);
      } finally {
        hasEnded = true;
      }
    }
    const endless = await createHttpServer({
      handle: async () => ({ status: 200, headers: {}, body: body() }),
      tls: { ...serving, clientCa },
      port: 0,
      clock,
      onError: () => undefined,
    });
    const socket = connect({ port: endless.port, host: endless.host, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    await firstData(socket, '/');
    // The buffers of the sockets have to fill up before the server waits.
    await vi.waitFor(
      async () => {
        await clock.advance(60_000);
        expect(hasEnded).toBe(true);
      },
      { timeout: 30_000, interval: 50 },
    );
    socket.destroy();
    await endless.close({ graceMs: 0 });
  }, 40_000);

  it('keep a pod log open, regardless of how long they pause', async () => {
    const clock = new VirtualClock();
    const { serving, clientCa } = await CertificateStore.open({ clock: systemClock });
    const chunks = 512;
    const size = 128 * 1024;
    let written = 0;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (; written < chunks; written++) yield Buffer.alloc(size);
    }
    const patient = await createHttpServer({
      handle: async () => ({ status: 200, headers: {}, body: body() }),
      tls: { ...serving, clientCa },
      port: 0,
      clock,
      onError: () => undefined,
    });
    const socket = connect({ port: patient.port, host: patient.host, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    let received = await firstData(socket, '/api/v1/namespaces/a/pods/b/log?follow=true');
    // The server is blocked once it has written nothing between two checks.
    let before = -1;
    await vi.waitFor(
      () => {
        const last = before;
        before = written;
        expect(written).toBe(last);
      },
      { timeout: 30_000, interval: 200 },
    );
    expect(written).toBeLessThan(chunks);
    await clock.advance(600_000);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (chunk) => {
      received += chunk.length;
    });
    socket.resume();
    await closed;
    expect(received).toBeGreaterThan(chunks * size);
    await patient.close({ graceMs: 0 });
  }, 40_000);
});

/** Sends a request and stops reading after the first bytes of its response. Returns the number of these bytes. */
function firstData(socket: TLSSocket, path: string): Promise<number> {
  return new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      resolve(chunk.length);
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });
}
