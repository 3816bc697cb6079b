import { connect, type TLSSocket } from 'node:tls';
import { systemClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCertificates } from '../certificates/index.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { readBody } from './request-body.ts';
import { jsonResponse } from './status-response.ts';

describe('slow clients', () => {
  let server: HttpServer;

  beforeEach(async () => {
    const { serving, clientCa } = await openCertificates({ clock: systemClock });
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

  it('are closed when their headers take too long', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')).toMatch(/^HTTP\/1.1 408 /);
  });

  it('get a 504 when their body takes too long', async () => {
    const answer = await answerTo('POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{');
    expect(answer).toMatch(/^HTTP\/1.1 504 [\s\S]*"reason":"Timeout"/);
  });
});
