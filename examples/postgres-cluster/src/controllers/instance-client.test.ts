import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { nextCertificates } from '../spec/certificates.ts';
import { callInstance, type InstanceAddress } from './instance-client.ts';

const { authority, server, operator } = nextCertificates(
  {},
  { cluster: 'shop', namespace: 'default', nowMs: Date.now() },
);
const signal = new AbortController().signal;

describe('callInstance', () => {
  let instance: Server | undefined;
  afterEach(() => {
    instance?.closeAllConnections();
    instance?.close();
  });

  /** Starts a server that acts as the instance, and returns its address. */
  async function serve(handle: Parameters<typeof createServer>[1]): Promise<InstanceAddress> {
    const { key, certificate: cert } = server;
    const started = createServer({ key, cert, ca: authority.bundle.join(''), requestCert: true }, handle);
    instance = started;
    await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
    return {
      instance: 'shop-1',
      podIP: '127.0.0.1',
      port: (started.address() as AddressInfo).port,
      serverName: 'shop-rw',
      certificate: operator.certificate,
      key: operator.key,
      authorities: authority.bundle.join(''),
    };
  }

  const call = (address: InstanceAddress, timeoutMs: number) =>
    callInstance(address, { method: 'GET', path: '/v1/status', timeoutMs, signal });

  it('returns the body, even if a chunk ends within a character', async () => {
    const text = Buffer.from('{"message":"größer"}');
    const address = await serve((_, response) => {
      response.write(text.subarray(0, 14));
      setImmediate(() => response.end(text.subarray(14)));
    });
    expect(await call(address, 30_000)).toBe(text.toString());
  });

  it('fails with the status code of the response', async () => {
    const address = await serve((_, response) => response.writeHead(409).end('it does not run'));
    await expect(call(address, 30_000)).rejects.toMatchObject({
      message: 'instance shop-1: GET /v1/status failed with status 409: it does not run',
      statusCode: 409,
    });
  });

  it('applies the timeout to the whole call, not only to the pauses between chunks', async () => {
    const address = await serve((_, response) => {
      const ticker = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(ticker));
    });
    await expect(call(address, 300)).rejects.toThrow('instance shop-1: GET /v1/status timed out after 300 ms');
  });

  it('rejects a response of more than 1 MiB', async () => {
    const address = await serve((_, response) => response.end(Buffer.alloc(1024 * 1024 + 1, ' ')));
    await expect(call(address, 30_000)).rejects.toThrow(
      'instance shop-1: GET /v1/status responded with more than 1048576 bytes',
    );
  });

  it('names the instance and the call if there is no connection, and keeps the cause', async () => {
    const address = { ...(await serve(() => undefined)), port: 1 };
    await expect(call(address, 30_000)).rejects.toMatchObject({
      message: 'instance shop-1: GET /v1/status failed: connect ECONNREFUSED 127.0.0.1:1',
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('rejects if the signal is aborted', async () => {
    const address = await serve(() => undefined);
    const stopping = AbortSignal.abort();
    const calling = callInstance(address, { method: 'GET', path: '/', timeoutMs: 30_000, signal: stopping });
    await expect(calling).rejects.toThrow('aborted');
  });
});
