import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from './transport.ts';

/** A request to the contract's server. Its form is the same for all implementations. */
export interface ContractRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
}

export interface ContractResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Records what the server saw, so that a test can wait for it. */
export class ContractServer {
  readonly aborted: string[] = [];
  readonly bodies: string[] = [];
  open = 0;

  readonly handle = async (request: ContractRequest): Promise<ContractResponse> => {
    const path = request.path.split('?', 1)[0];
    const headers = { 'content-type': 'text/plain', 'x-echo': request.headers['x-echo'] ?? '' };
    switch (path) {
      case '/echo':
        this.bodies.push(Buffer.from(request.body).toString('utf8'));
        return { status: 200, headers: { ...headers, 'x-method': request.method }, body: pieces(request.body) };
      case '/path':
        return { status: 200, headers, body: pieces(Buffer.from(request.path)) };
      case '/missing':
        return { status: 404, headers, body: pieces(Buffer.from('nothing here')) };
      case '/empty':
        return { status: 200, headers, body: pieces() };
      case '/large':
        return { status: 200, headers, body: large(8 << 20) };
      case '/forever':
        return { status: 200, headers, body: this.#forever(request) };
      default:
        throw new Error(`the contract's server has no ${path}`);
    }
  };

  async *#forever(request: ContractRequest): AsyncGenerator<Uint8Array, void, undefined> {
    this.open++;
    try {
      yield Buffer.from('first\n');
      await new Promise((_, reject) => {
        if (request.signal.aborted) reject(request.signal.reason);
        request.signal.addEventListener('abort', () => reject(request.signal.reason), { once: true });
      });
    } catch {
      // The expected abort. If the reader leaves, the generator ends without an error.
    } finally {
      this.aborted.push(request.path);
      this.open--;
    }
  }
}

async function* pieces(...parts: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
}

async function* large(size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let sent = 0; sent < size; sent += 65_536) yield Buffer.alloc(65_536, (sent / 65_536) % 251);
}

/** Polls until a condition holds. */
export async function eventually(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('timed out after 10 s waiting for the condition');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function text(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Tests the behavior common to all transports. */
export function describeTransport(
  name: string,
  start: (server: ContractServer) => Promise<{ readonly transport: Transport } & AsyncDisposable>,
): void {
  describe(`${name} as a Transport`, () => {
    const server = new ContractServer();
    let fixture: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      fixture = await start(server);
    });
    afterAll(() => fixture[Symbol.asyncDispose]());

    it('carries method, headers and body both ways', async () => {
      const body = Buffer.from('{"text":"Grüße"}');
      const response = await fixture.transport.request({
        method: 'PUT',
        path: '/echo',
        headers: { 'x-echo': 'a, b' },
        body,
      });
      expect(response.status).toBe(200);
      expect(response.headers['x-method']).toBe('PUT');
      expect(response.headers['x-echo']).toBe('a, b');
      expect(await text(response.body)).toBe('{"text":"Grüße"}');
    });

    it('sends the query unchanged', async () => {
      const response = await fixture.transport.request({ method: 'GET', path: '/path?labelSelector=a%3Db&x=%2F' });
      expect(await text(response.body)).toBe('/path?labelSelector=a%3Db&x=%2F');
    });

    it('resolves with error responses of the server', async () => {
      const response = await fixture.transport.request({ method: 'GET', path: '/missing' });
      expect(response.status).toBe(404);
      expect(await text(response.body)).toBe('nothing here');
    });

    it('ends an empty body immediately', async () => {
      const response = await fixture.transport.request({ method: 'GET', path: '/empty' });
      expect(await text(response.body)).toBe('');
    });

    it('preserves order and size of a large body', async () => {
      const response = await fixture.transport.request({ method: 'GET', path: '/large' });
      let size = 0;
      for await (const chunk of response.body) {
        for (let i = 0; i < chunk.byteLength; i += 4096) {
          if (chunk[i] !== Math.floor((size + i) / 65_536) % 251) throw new Error(`wrong byte at ${size + i}`);
        }
        size += chunk.byteLength;
      }
      expect(size).toBe(8 << 20);
    });

    it('sends requests concurrently', async () => {
      const all = await Promise.all(
        Array.from({ length: 300 }, async (_, i) => {
          const response = await fixture.transport.request({ method: 'GET', path: `/path?i=${i}` });
          return text(response.body);
        }),
      );
      expect(all).toEqual(Array.from({ length: 300 }, (_, i) => `/path?i=${i}`));
    });

    it('rejects with the reason of a signal that was already aborted', async () => {
      const signal = AbortSignal.abort(new Error('too late'));
      await expect(fixture.transport.request({ method: 'GET', path: '/empty', signal })).rejects.toThrow('too late');
    });

    it('notifies the server and the reader when the signal is aborted during a stream', async () => {
      const abort = new AbortController();
      const { body } = await fixture.transport.request({
        method: 'GET',
        path: '/forever?abort',
        signal: abort.signal,
        longRunning: true,
      });
      const reader = body[Symbol.asyncIterator]();
      expect(Buffer.from((await reader.next()).value as Uint8Array).toString()).toBe('first\n');
      const pending = reader.next();
      abort.abort(new Error('enough'));
      await expect(pending).rejects.toThrow('enough');
      await eventually(() => server.aborted.includes('/forever?abort'));
      expect(await reader.next()).toEqual({ done: true, value: undefined });
    });

    it('notifies the server when the reader leaves the loop', async () => {
      const { body } = await fixture.transport.request({ method: 'GET', path: '/forever?leave', longRunning: true });
      for await (const _ of body) break;
      await eventually(() => server.aborted.includes('/forever?leave'));
    });

    it('ends a pending read when the body is canceled', async () => {
      const { body } = await fixture.transport.request({ method: 'GET', path: '/forever?return', longRunning: true });
      const reader = body[Symbol.asyncIterator]();
      await reader.next();
      const pending = reader.next();
      await reader.return?.();
      expect(await pending).toEqual({ done: true, value: undefined });
      await eventually(() => server.aborted.includes('/forever?return'));
    });

    it('calls the gate last, and sends nothing if it rejects the request', async () => {
      const put = (text: string, gate: () => void) =>
        fixture.transport.request({ method: 'PUT', path: '/echo', body: Buffer.from(text), gate });
      let requested = 0;
      const response = await put('let through', () => {
        requested++;
        expect(server.bodies).not.toContain('let through');
      });
      expect(await text(response.body)).toBe('let through');
      expect(requested).toBe(1);
      const refusal = put('rejected', () => {
        throw new Error('too late to write');
      });
      await expect(refusal).rejects.toThrow('too late to write');
      await text((await put('after it', () => {})).body);
      expect(server.bodies).toEqual(expect.not.arrayContaining(['rejected']));
      expect(server.bodies).toContain('after it');
    });

    it('rejects requests after disposal, and ends those in flight', async () => {
      const { body } = await fixture.transport.request({ method: 'GET', path: '/forever?dispose', longRunning: true });
      const reader = body[Symbol.asyncIterator]();
      await reader.next();
      const pending = reader.next();
      const failed = expect(pending).rejects.toMatchObject({ code: 'KW2008' });
      await fixture.transport[Symbol.asyncDispose]();
      await fixture.transport[Symbol.asyncDispose]();
      await failed;
      await expect(fixture.transport.request({ method: 'GET', path: '/empty' })).rejects.toMatchObject({
        code: 'KW2008',
      });
    });
  });
}
