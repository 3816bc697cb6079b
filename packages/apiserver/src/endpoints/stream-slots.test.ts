import { EventEmitter, once } from 'node:events';
import { type Duplex, PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ApiRequest, ApiResponse } from '../http/api-request.ts';
import { hijacked } from '../http/api-request.ts';
import { TestServer } from '../testdata/test-server.ts';
import { slotHolder } from './caller-class.ts';
import { StreamSlots } from './stream-slots.ts';

const connection: ApiRequest['connection'] = { protocol: 'http/1.1', remoteAddress: '127.0.0.1' } as never;
const watches = '/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=1';

describe('streams of one user', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await TestServer.start();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const send = (username: string, path: string): Promise<ApiResponse> => {
    server.user = { username, groups: ['system:authenticated'] };
    const request = server.request('GET', path);
    return server.server.handle({ ...request, connection: { ...request.connection, protocol: 'http/1.1' } });
  };

  it('do not lock out other users, regardless of their number', async () => {
    const open: ApiResponse[] = [];
    let refused: ApiResponse | undefined;
    for (let n = 0; n < 10_000; n++) {
      const response = await send('greedy', watches);
      if (response.status === 200) open.push(response);
      else refused = response;
    }
    expect(open).toHaveLength(1000);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect((await send('greedy', '/api/v1/namespaces/default/configmaps')).status).toBe(200);
    const others = await send('other', watches);
    expect(others.status).toBe(200);
    for (const { body } of [...open, others]) {
      await (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]().return?.();
    }
    expect((await send('greedy', watches)).status).toBe(200);
  });
});

describe('StreamSlots', () => {
  const user = (username: string, ...groups: string[]): UserInfo => ({ username, groups });
  const request = { connection, signal: new AbortController().signal } as ApiRequest;
  const stream = (): ApiResponse => ({ status: 200, headers: {}, body: (async function* () {})() });

  it('reserves slots for administrators, and half of them for the components of the cluster', async () => {
    const slots = new StreamSlots({ maxStreams: 2, maxStreamsPerUser: 2, reservedStreams: 4 });
    const isServed = (caller: UserInfo): Promise<boolean> =>
      slots.hold(slotHolder(request, caller), request, stream).then(
        () => true,
        () => false,
      );
    expect([await isServed(user('a')), await isServed(user('b')), await isServed(user('c'))]).toEqual([
      true,
      true,
      false,
    ]);
    const node = user('system:node:n', 'system:nodes');
    const controller = user('system:serviceaccount:kube-system:x', 'system:serviceaccounts:kube-system');
    expect([await isServed(node), await isServed(controller), await isServed(node)]).toEqual([true, true, false]);
    const admin = user('admin', 'system:masters');
    expect([await isServed(admin), await isServed(admin), await isServed(admin)]).toEqual([true, true, false]);
  });

  it('frees a slot when a stream ends, fails or is rejected, and when an upgraded connection closes', async () => {
    const slots = new StreamSlots({ maxStreams: 1, maxStreamsPerUser: 1, reservedStreams: 0 });
    const holder = slotHolder(request, user('a'));
    const ended = await slots.hold(holder, request, stream);
    for await (const _ of ended.body as AsyncIterable<Uint8Array>);
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw new Error('broken');
    }
    const broken = await slots.hold(holder, request, () => ({ status: 200, headers: {}, body: failing() }));
    const reading = (broken.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    await reading.next();
    await expect(reading.next()).rejects.toThrow('broken');
    await expect(slots.hold(holder, request, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    const socket = new EventEmitter() as Duplex;
    const upgrade = { ...request, upgrade: () => ({ stream: socket }) } as unknown as ApiRequest;
    const take = ({ upgrade: takeOver }: ApiRequest): ApiResponse => {
      takeOver?.();
      return hijacked;
    };
    await slots.hold(holder, upgrade, take);
    await expect(slots.hold(holder, request, stream)).rejects.toMatchObject({ httpStatus: 429 });
    socket.emit('close');
    await slots.hold(holder, request, stream);
  });

  it('frees the slot of a client that disconnects before or after its connection is taken over', async () => {
    const slots = new StreamSlots({ maxStreams: 1, maxStreamsPerUser: 1, reservedStreams: 0 });
    const holder = slotHolder(request, user('a'));
    const take = ({ upgrade: takeOver }: ApiRequest): ApiResponse => {
      takeOver?.();
      return hijacked;
    };
    const upgrading = (stream: Duplex, signal = request.signal): ApiRequest =>
      ({ ...request, signal, upgrade: () => ({ stream }) }) as unknown as ApiRequest;
    const gone = new PassThrough();
    gone.destroy();
    await once(gone, 'close');
    await slots.hold(holder, upgrading(gone), take);
    await slots.hold(holder, upgrading(new PassThrough(), AbortSignal.abort()), take);
    const client = new AbortController();
    await slots.hold(holder, upgrading(new PassThrough(), client.signal), take);
    await expect(slots.hold(holder, request, stream)).rejects.toMatchObject({ httpStatus: 429 });
    client.abort();
    await slots.hold(holder, request, stream);
  });
});
