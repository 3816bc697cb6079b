import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Backend, BackendRequest } from './backend.ts';
import { fetchFromBackend } from './fetch-from-backend.ts';
import { fetchOpenApiPath, fetchResources } from './remote-documents.ts';

const mebibyte = 1024 * 1024;

/** Returns a backend that sends the same response to every request, and records the requests. */
function backendWith(response: () => Partial<IncomingMessage> & AsyncIterable<Uint8Array>) {
  const requests: BackendRequest[] = [];
  const send = async (request: BackendRequest) => {
    requests.push(request);
    return response();
  };
  // only this method is called
  return { requests, backend: { send } as unknown as Backend };
}

const message = (body: Iterable<Uint8Array>, more: Partial<IncomingMessage> = {}) =>
  Object.assign(Readable.from(body), { statusCode: 200, headers: {}, ...more });

const clock = new VirtualClock();
const apiService = { apiVersion: 'v1', kind: 'APIService', metadata: {}, spec: { group: 'a.b', version: 'v1' } };

describe('a response of another API server', () => {
  it('is rejected once it exceeds 16 MiB, before the rest arrives', async () => {
    let sent = 0;
    function* endless(): Generator<Uint8Array> {
      for (;;) {
        sent += mebibyte;
        yield new Uint8Array(mebibyte);
      }
    }
    const { backend } = backendWith(() => message(endless()));
    const fetched = fetchFromBackend(backend, { path: '/apis', accept: 'application/json', withinMs: 1000, clock });
    await expect(fetched).rejects.toThrow('the response is longer than 16777216 bytes');
    expect(sent).toBeLessThan(64 * mebibyte);
    expect(clock.pendingTimers).toBe(0);
  });

  it('is never decompressed, because compression was not requested', async () => {
    const bomb = gzipSync(new Uint8Array(8 * mebibyte));
    const { backend, requests } = backendWith(() => message([bomb], { headers: { 'content-encoding': 'gzip' } }));
    const { body } = await fetchFromBackend(backend, { path: '/', accept: '*/*', withinMs: 1000, clock });
    expect(body.length).toBe(bomb.length);
    expect(requests[0]?.headers).not.toHaveProperty('accept-encoding');
  });

  it.each([301, 302, 307, 308])('is not followed if it is a redirect: %d', async (statusCode) => {
    const headers = { location: 'http://169.254.169.254/latest/meta-data' };
    const { backend, requests } = backendWith(() => message([], { statusCode, headers }));
    // only these parts are read
    const service = apiService as unknown as Parameters<typeof fetchResources>[0];
    await expect(fetchResources(service, { backend, clock })).rejects.toThrow(`returned status ${statusCode}`);
    await expect(fetchOpenApiPath(service, { backend, clock })).rejects.toThrow(`returned status ${statusCode}`);
    expect(requests.map(({ path }) => path)).toEqual(['/apis', '/apis/a.b/v1', '/openapi/v3']);
  });
});
