import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { HttpTransport } from './http-transport.ts';
import { certificates, TlsServer } from './testdata/tls-server.ts';
import { type ContractServer, describeTransport } from './transport.contract.ts';

for (const protocol of ['h2', 'http/1.1'] as const) {
  describeTransport(`HttpTransport over ${protocol}`, async (contract) => {
    const server = await TlsServer.start((request, response) => void serve(contract, { request, response }));
    const transport = new HttpTransport({
      server: server.url,
      trust: { ca: certificates.ca },
      protocols: [protocol],
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

async function serve(
  contract: ContractServer,
  { request, response }: { readonly request: Http2ServerRequest; readonly response: Http2ServerResponse },
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Error('the client has gone')));
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
