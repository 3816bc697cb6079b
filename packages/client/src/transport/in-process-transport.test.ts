import { expect, it } from 'vitest';
import { InProcessTransport } from './in-process-transport.ts';
import { type ContractRequest, describeTransport, text } from './transport.contract.ts';

describeTransport('InProcessTransport', async (server) => {
  const transport = new InProcessTransport({
    connection: undefined,
    // The cast is safe: the transport passes bodies unchanged, and the contract's bodies are bytes.
    handle: (request) => server.handle({ ...request, body: request.body ?? new Uint8Array(0) } as ContractRequest),
  });
  return { transport, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
});

it('accepts responses in the form of the API server: bytes, and repeated headers', async () => {
  const transport = new InProcessTransport({
    connection: { user: 'jane' },
    headers: { 'x-from': 'options' },
    handle: async ({ connection, headers }) => ({
      status: 200,
      headers: { warning: ['299 - "a"', '299 - "b"'] },
      body: Buffer.from(`${connection.user} ${headers['x-from']}`),
    }),
  });
  const response = await transport.request({ method: 'GET', path: '/' });
  expect(response.headers['warning']).toBe('299 - "a", 299 - "b"');
  expect(await text(response.body)).toBe('jane options');
});
