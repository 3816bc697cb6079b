import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiResponse } from '../http/api-request.ts';
import type { AvailableCondition, RemoteApiService } from './api-service.ts';
import { type Backend, type BackendRequest, NoEndpointError } from './backend.ts';
import { forward } from './forward.ts';

const apiService = (status: AvailableCondition['status']): RemoteApiService => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    service: { namespace: 'default', name: 'wells', port: 443 },
    groupPriorityMinimum: 1000,
    versionPriority: 100,
  },
  status: { conditions: [{ type: 'Available', status }] },
});

/** An authorized request. */
function contextOf(target: string, signal: AbortSignal = new AbortController().signal): RequestContext {
  const url = new URL(target, 'https://server');
  const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process' };
  const request = { method: 'GET', path: target, headers: {}, signal, connection };
  const info = { path: decodeURIComponent(target.split('?')[0] ?? ''), query: url.searchParams };
  // only these fields are read
  return { request, info, user: { username: 'ann', groups: [] } } as unknown as RequestContext;
}

type Send = (request: BackendRequest) => Promise<IncomingMessage>;

async function forwarded(
  context: RequestContext,
  send: Send,
  { clock = new VirtualClock(), status = 'True' as AvailableCondition['status'] } = {},
): Promise<readonly [number, string]> {
  // only this method is called
  const backend = { send } as unknown as Backend;
  const answer = await forward(context, { apiService: apiService(status), backend, clock });
  return [answer.status, await textOf(answer)];
}

async function textOf({ body }: ApiResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Builds a response in the form that Node returns. */
function message(statusCode: number, text: string, headers: Readonly<Record<string, string>> = {}): IncomingMessage {
  const headersDistinct = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const stream = Readable.from([Buffer.from(text)]);
  return Object.assign(stream, { statusCode, headers, headersDistinct }) as unknown as IncomingMessage;
}

/** A server that accepts the request and never responds. */
const silent: Send = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }));

describe('forward', () => {
  it('sends the authorized request and returns the response', async () => {
    const asked: BackendRequest[] = [];
    const answer = await forwarded(
      contextOf('/apis/example.com/v1/wells?limit=1&labelSelector=a%20in%20(b)'),
      async (one) => {
        asked.push(one);
        return message(200, 'all of them');
      },
    );
    expect(answer).toEqual([200, 'all of them']);
    expect(asked).toMatchObject([
      { method: 'GET', path: '/apis/example.com/v1/wells?limit=1&labelSelector=a+in+%28b%29', body: undefined },
    ]);
  });

  it.each(['False', 'Unknown'] as const)('does not contact an unavailable server: %s', async (status) => {
    const unexpected: Send = () => expect.unreachable();
    const answer = await forwarded(contextOf('/apis/example.com/v1/wells'), unexpected, { status });
    expect(answer).toEqual([503, 'service unavailable\n']);
  });

  it.each(['/apis/example.com/v1/../../secrets', '/apis/example.com/v1/%2e/wells'])(
    'forwards %s to no server',
    async (path) => {
      expect(await forwarded(contextOf(path), () => expect.unreachable())).toEqual([404, '404 page not found\n']);
    },
  );

  it('does not let the other server redirect clients', async () => {
    const elsewhere: Send = async () => message(307, '', { location: 'https://elsewhere.example.com' });
    expect(await forwarded(contextOf('/apis/example.com/v1/wells'), elsewhere)).toEqual([
      502,
      'the backend attempted to redirect this request, which is not permitted\n',
    ]);
  });

  it('reports why the other server is unreachable', async () => {
    const refused: Send = () => Promise.reject(new Error('dial tcp 10.0.0.1:443: connect: connection refused'));
    expect(await forwarded(contextOf('/apis/example.com/v1/wells'), refused)).toEqual([
      503,
      'error trying to reach service: dial tcp 10.0.0.1:443: connect: connection refused\n',
    ]);
    const nowhere: Send = () => Promise.reject(new NoEndpointError('no endpoints available for service "wells"'));
    expect(await forwarded(contextOf('/apis/example.com/v1/wells'), nowhere)).toEqual([503, 'service unavailable\n']);
  });

  it.each([
    ['/apis/example.com/v1', 5_000],
    ['/apis/example.com/v1/wells', 60_000],
  ])('times out on %s after %d ms', async (path, ms) => {
    const clock = new VirtualClock();
    const answer = forwarded(contextOf(path), silent, { clock });
    await clock.advance(ms - 1);
    const before = await Promise.race([answer, Promise.resolve('waits')]);
    expect(before).toBe('waits');
    await clock.advance(1);
    expect(await answer).toEqual([503, 'error trying to reach service: context deadline exceeded\n']);
  });

  it('waits for a watch until the client disconnects', async () => {
    const clock = new VirtualClock();
    const gone = new AbortController();
    const answer = forwarded(contextOf('/apis/example.com/v1/wells?watch=true', gone.signal), silent, { clock });
    await clock.advance(3_600_000);
    gone.abort(new Error('the client disconnected'));
    await expect(answer).rejects.toThrow('the client disconnected');
  });

  it('names the server that aborted its response', async () => {
    const broken = message(200, '');
    Object.assign(broken, {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('aborted')) }),
    });
    const answer = forwarded(contextOf('/apis/example.com/v1/wells?watch=true'), async () => broken);
    await expect(answer).rejects.toMatchObject({
      code: 'KW5106',
      message: expect.stringContaining('the server behind the APIService v1.example.com aborted its response'),
    });
  });
});
