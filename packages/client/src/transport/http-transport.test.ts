import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { HttpTransport } from './http-transport.ts';
import { certificates, TlsServer } from './testdata/tls-server.ts';
import { type ContractServer, describeTransport } from './transport.contract.ts';

/** On a busy machine, many TLS handshakes in one process can take longer than the default timeout. */
const tuning = { connectTimeoutMs: 60_000 };

for (const protocol of ['h2', 'http/1.1'] as const) {
  describeTransport(`HttpTransport over ${protocol}`, async (contract) => {
    const server = await TlsServer.start((request, response) => void serve(contract, { request, response }));
    const transport = new HttpTransport({
      server: server.url,
      trust: { ca: certificates.ca },
      protocols: [protocol],
      tuning,
    });
    return {
      transport,
      async [Symbol.asyncDispose]() {
        await transport[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  });
}

describeTransport('HttpTransport without TLS', async (contract) => {
  // `serve` uses only what the requests and responses of both protocols have in common.
  const server = await PlainServer.start((...exchange) => {
    const [request, response] = exchange as unknown as [Http2ServerRequest, Http2ServerResponse];
    void serve(contract, { request, response });
  });
  const transport = new HttpTransport({ server: server.url, tuning });
  return {
    transport,
    async [Symbol.asyncDispose]() {
      await transport[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});

describe('HttpTransport without TLS', () => {
  it('keeps a piece of a body intact while the next pieces are read', async () => {
    const sent = Array.from({ length: 64 }, (_, i) => Buffer.alloc(40_000, i + 1));
    await using server = await PlainServer.start((_request, response) => {
      for (const piece of sent) response.write(piece);
      response.end();
    });
    await using transport = new HttpTransport({ server: server.url });
    const { body } = await transport.request({ method: 'GET', path: '/', headers: {} });
    const pieces: Uint8Array[] = [];
    for await (const piece of body) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(Buffer.concat(sent))).toBe(true);
  });

  it('frees only the memory of the piece that was read', async () => {
    const sent = Array.from({ length: 64 }, (_, i) => Buffer.alloc(40_000, i + 1));
    await using server = await PlainServer.start((_request, response) => {
      for (const piece of sent) response.write(piece);
      response.end();
    });
    await using transport = new HttpTransport({ server: server.url });
    const { body } = await transport.request({ method: 'GET', path: '/', headers: {} });
    const copies: Buffer[] = [];
    for await (const piece of body) {
      copies.push(Buffer.from(piece));
      body.reclaim?.(piece);
      // Node 20 cannot detach memory.
      expect(piece.length).toBe('transfer' in ArrayBuffer.prototype ? 0 : copies.at(-1)?.length);
    }
    expect(Buffer.concat(copies).equals(Buffer.concat(sent))).toBe(true);
  });
});

class PlainServer implements AsyncDisposable {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(listener: RequestListener): Promise<PlainServer> {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new PlainServer(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function serve(
  contract: ContractServer,
  { request, response }: { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse },
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('the client disconnected')));
  response.on('error', () => {});
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const answer = await contract.handle({
    method: request.method,
    path: request.url,
    headers: request.headers as Record<string, string>,
    body: Buffer.concat(chunks),
    signal: gone.signal,
  });
  response.writeHead(answer.status, answer.headers);
  for await (const chunk of answer.body) {
    if (gone.signal.aborted) break;
    if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
  }
  response.end();
}
