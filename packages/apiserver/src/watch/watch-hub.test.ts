import { type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryStorage, type Storage } from '../storage/index.ts';
import { plainRepresentation } from './plain-representation.ts';
import { UnreadLimit } from './unread-limit.ts';
import { WatchHub } from './watch-hub.ts';
import type { WatchFilter, WatchItem, WatchRepresentation, WatchRequest } from './watch-request.ts';
import type { Watcher } from './watcher.ts';

const configMapsPrefix = '/registry/core/configmaps/';
const plain = plainRepresentation({ apiVersion: 'v1', kind: 'ConfigMap' });
const isRed: WatchFilter = { id: 'color=red', matches: ({ object }) => object.metadata.labels?.['color'] === 'red' };

interface Event {
  readonly type: string;
  readonly object: KubernetesObject & { readonly code?: number; readonly message?: string };
}

describe('WatchHub', () => {
  let clock: VirtualClock;
  let storage: MemoryStorage;
  let hub: WatchHub;
  beforeEach(() => {
    clock = new VirtualClock();
    storage = new MemoryStorage({ clock, historyMs: 10 * 60_000 });
    hub = new WatchHub({ storage, prefix: configMapsPrefix, clock, random: seededRandom(1), ringBytes: 100_000 });
  });

  async function put(key: string, color = 'red', size = 0): Promise<number> {
    const current = await storage.get(configMapsPrefix + key);
    const [namespace, name] = key.split('/');
    const metadata = { namespace, name, labels: { color } };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { x: 'x'.repeat(size) } };
    const bytes = Buffer.from(JSON.stringify(object));
    return (await storage.commit([{ key: configMapsPrefix + key, expected: current?.revision ?? 0, bytes }])).revision;
  }

  async function remove(key: string): Promise<number> {
    const expected = (await storage.get(configMapsPrefix + key))?.revision ?? 0;
    return (await storage.commit([{ key: configMapsPrefix + key, expected, bytes: undefined }])).revision;
  }

  async function open(request: Partial<WatchRequest> = {}): Promise<Stream> {
    const abort = new AbortController();
    const stream = await hub.watch({ representation: plain, signal: abort.signal, ...request });
    return new Stream(stream, abort);
  }

  const brief = (events: readonly Event[]): readonly string[] =>
    events.map(({ type, object }) => `${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`);

  describe('start', () => {
    it.each([undefined, '', '0'])('sends the state, then changes (resourceVersion %j)', async (resourceVersion) => {
      await put('a/1');
      await put('b/2');
      const stream = await open({ resourceVersion });
      expect(brief(await stream.take())).toEqual(['ADDED 1@2', 'ADDED 2@3']);
      await put('a/1');
      await put('a/3');
      await remove('b/2');
      expect(brief(await stream.take())).toEqual(['MODIFIED 1@4', 'ADDED 3@5', 'DELETED 2@6']);
    });

    it('continues exactly after a version', async () => {
      await put('a/1');
      const revision = await put('a/2');
      await put('a/3');
      await put('a/1');
      const stream = await open({ resourceVersion: `${revision}` });
      expect(brief(await stream.take())).toEqual(['ADDED 3@4', 'MODIFIED 1@5']);
      await put('a/4');
      expect(brief(await stream.take())).toEqual(['ADDED 4@6']);
    });

    it('delivers each change once if it starts between a write and its delivery', async () => {
      const first = await open({ resourceVersion: '1' });
      await put('a/1');
      const write = put('a/2');
      const second = await open({ resourceVersion: '2' });
      await write;
      await put('a/3');
      expect(brief(await first.take())).toEqual(['ADDED 1@2', 'ADDED 2@3', 'ADDED 3@4']);
      expect(brief(await second.take())).toEqual(['ADDED 2@3', 'ADDED 3@4']);
    });

    it('waits for a future version', async () => {
      const stream = await open({ resourceVersion: '3' });
      await put('a/1');
      await put('a/2');
      await put('a/3');
      expect(brief(await stream.take())).toEqual(['ADDED 3@4']);
    });

    it('sends one ERROR for a version that is too old, then ends', async () => {
      await put('a/1');
      await clock.advance(11 * 60_000);
      const stream = await open({ resourceVersion: '1' });
      const [event] = await stream.take();
      expect(event).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (2)' },
      });
      expect(stream.ended).toBe(true);
      expect(hub.watcherCount).toBe(0);
    });

    it('starts with changes from now on if initial events are disabled', async () => {
      await put('a/1');
      const stream = await open({ sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' });
      await put('a/2');
      expect(brief(await stream.take())).toEqual(['ADDED 2@3']);
    });

    it('marks the end of the initial events for clients that accept bookmarks', async () => {
      await put('a/1');
      const wanted = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } as const;
      const stream = await open({ ...wanted, allowWatchBookmarks: true });
      const events = await stream.take();
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
      expect(events[1]?.object).toEqual({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } },
      });
      expect(brief(await (await open(wanted)).take())).toEqual(['ADDED 1@2']);
      expect(brief(await (await open({ allowWatchBookmarks: true })).take())).toEqual(['ADDED 1@2', 'BOOKMARK @2']);
    });

    it('waits up to three seconds for a future state', async () => {
      const wanted = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '3' } as const;
      const coming = open(wanted);
      await put('a/1');
      await put('a/2');
      await clock.advance(50);
      expect(brief(await (await coming).take())).toEqual(['ADDED 1@2', 'ADDED 2@3']);
      const never = open({ ...wanted, resourceVersion: '99' });
      await clock.advance(3000);
      expect(await (await never).take()).toMatchObject([
        {
          type: 'ERROR',
          object: {
            code: 504,
            message: 'Timeout: Too large resource version: 99, current: 3',
            details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
          },
        },
      ]);
    });

    it.each([
      [
        { resourceVersion: 'abc' },
        500,
        'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      ],
      [
        { resourceVersionMatch: 'Exact', resourceVersion: '5' },
        422,
        'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
      ],
      [
        { sendInitialEvents: true },
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ],
    ])('rejects %j', async (request, code, message) => {
      await expect(open(request)).rejects.toMatchObject({ status: { code, message } });
      expect(hub.watcherCount).toBe(0);
    });
  });

  it('delivers a change once if all watchers are replaced while the storage watch is being opened', async () => {
    let respond = (): void => undefined;
    const response = new Promise<void>((resolve) => {
      respond = resolve;
    });
    let watches = 0;
    const watch: Storage['watch'] = async (...args) => {
      const watching = await storage.watch(...args);
      // Storage already delivers events, but the first `watch` call has not returned yet.
      if (++watches === 1) await response;
      return watching;
    };
    const slow = new Proxy<Storage>(storage, {
      get: (target, method: keyof Storage) => (method === 'watch' ? watch : target[method]?.bind(target)),
    });
    hub = new WatchHub({ storage: slow, prefix: configMapsPrefix, clock, random: seededRandom(1) });
    const gone = new AbortController();
    const first = hub.watch({ representation: plain, signal: gone.signal });
    await vi.waitUntil(() => watches === 1);
    gone.abort();
    const stream = await open();
    await put('a/1');
    expect(brief(await stream.take())).toEqual(['ADDED 1@2']);
    respond();
    await first;
  });

  describe('selection', () => {
    it('selects a namespace, a name, or a name in any namespace', async () => {
      const streams = await Promise.all([
        open({ namespace: 'a' }),
        open({ namespace: 'a', name: '1' }),
        open({ name: '1' }),
      ]);
      for (const key of ['a/1', 'a/2', 'a-b/1', 'b/1']) await put(key);
      expect(brief(await streams[0].take())).toEqual(['ADDED 1@2', 'ADDED 2@3']);
      expect(brief(await streams[1].take())).toEqual(['ADDED 1@2']);
      expect(brief(await streams[2].take())).toEqual(['ADDED 1@2', 'ADDED 1@4', 'ADDED 1@5']);
      expect(brief(await (await open({ name: '2' })).take())).toEqual(['ADDED 2@3']);
    });

    it('turns entering and leaving a selector into ADDED and DELETED', async () => {
      await put('a/1', 'blue');
      const stream = await open({ filter: isRed });
      expect(await stream.take()).toEqual([]);
      await put('a/1', 'red');
      await put('a/1', 'red');
      await put('a/1', 'green');
      await put('a/1', 'blue');
      await remove('a/1');
      const events = await stream.take();
      expect(brief(events)).toEqual(['ADDED 1@3', 'MODIFIED 1@4', 'DELETED 1@5']);
      // DELETED has the content that the watcher saw last, with the new version.
      expect(events[2]?.object.metadata.labels).toEqual({ color: 'red' });
    });

    it('sends the last content of a deleted object with the version of the deletion', async () => {
      await put('a/1', 'red');
      const stream = await open({ resourceVersion: '2' });
      await remove('a/1');
      const [event] = await stream.take();
      expect(event).toMatchObject({
        type: 'DELETED',
        object: { metadata: { resourceVersion: '3', labels: { color: 'red' } } },
      });
    });
  });

  describe('sharing', () => {
    it('encodes a change once per representation and evaluates each selector once', async () => {
      const calls = { encode: 0, matches: 0 };
      const counting = (id: string): WatchRepresentation => ({
        ...plain,
        id,
        encode: (item) => {
          calls.encode++;
          return item.bytes;
        },
      });
      const filter = (): WatchFilter => ({ id: 'all', matches: () => calls.matches++ >= 0 });
      const streams = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          open({ representation: counting(n % 2 ? 'odd' : 'even'), filter: filter(), resourceVersion: '1' }),
        ),
      );
      await put('a/1');
      const chunks = await Promise.all(streams.map((stream) => stream.chunk()));
      expect(calls).toEqual({ encode: 2, matches: 1 });
      expect(new Set(chunks).size).toBe(2);
    });

    it('evaluates only filters that require the value before or after a change', async () => {
      const evaluated = new Set<string>();
      const of = ({ object }: WatchItem): string => object.metadata.labels?.['color'] ?? '';
      const requiring = (value: string): WatchFilter => ({
        id: value,
        matches: (item) => {
          evaluated.add(value);
          return of(item) === value;
        },
        trigger: { field: 'color', value, of },
      });
      const streams = new Map(
        await Promise.all(
          ['red', 'green', 'blue'].map(
            async (color) => [color, await open({ filter: requiring(color), resourceVersion: '1' })] as const,
          ),
        ),
      );
      await put('a/1', 'red');
      const event = async (color: string): Promise<string> =>
        Buffer.from((await streams.get(color)?.chunk()) ?? []).toString();
      expect(await event('red')).toMatch(/^{"type":"ADDED"/);
      expect([...evaluated]).toEqual(['red']);
      evaluated.clear();
      await put('a/1', 'green');
      expect(await event('red')).toMatch(/^{"type":"DELETED"/);
      expect(await event('green')).toMatch(/^{"type":"ADDED"/);
      expect([...evaluated].sort()).toEqual(['green', 'red']);
    });

    it('delivers the writes of one turn in one chunk', async () => {
      const streams = [await open({ resourceVersion: '1' }), await open({ resourceVersion: '1' })];
      await Promise.all([put('a/1'), put('a/2'), put('a/3')]);
      const [first, second] = await Promise.all(streams.map((stream) => stream.chunk()));
      expect(first?.toString().split('\n')).toHaveLength(4);
      expect(second).toBe(first);
    });

    it("encodes a stream's first event differently if the representation requires it", async () => {
      const representation: WatchRepresentation = {
        ...plain,
        id: 'first',
        firstDiffers: true,
        encode: (item, { first }) => Buffer.from(JSON.stringify({ ...item.object, first })),
      };
      const firsts = async (stream: Stream): Promise<readonly unknown[]> =>
        (await stream.take()).map(({ object }) => (object as unknown as { readonly first: boolean }).first);
      const live = await open({ representation, resourceVersion: '1' });
      await put('a/1');
      await put('a/2');
      expect(await firsts(live)).toEqual([true, false]);
      expect(await firsts(await open({ representation }))).toEqual([true, false]);
      expect(await firsts(await open({ representation, resourceVersion: '1' }))).toEqual([true, false]);
    });
  });

  describe('slow watchers', () => {
    it('ends only the watcher that fell behind the ring, with ERROR 410', async () => {
      const [slow, quick] = [await open({ resourceVersion: '1' }), await open({ resourceVersion: '1' })];
      let seen = 0;
      for (let n = 0; n < 40; n++) {
        await put(`a/${n}`, 'red', 5000);
        seen += (await quick.take()).length;
      }
      expect(seen).toBe(40);
      const events = await slow.take();
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
      expect(slow.ended).toBe(true);
      expect(quick.ended).toBe(false);
    });

    it('ends the slowest watchers of a user with too many unread events with ERROR 429', async () => {
      const unread = new UnreadLimit(64_000);
      hub = new WatchHub({ storage, prefix: configMapsPrefix, clock, random: seededRandom(1), unread });
      const other = new WatchHub({ storage, prefix: configMapsPrefix, clock, random: seededRandom(1), unread });
      const request = { representation: plain, resourceVersion: '1', signal: new AbortController().signal };
      const greedy = (await hub.watch({ ...request, owner: 'greedy' })) as Watcher;
      const elsewhere = (await other.watch({ ...request, owner: 'greedy' })) as Watcher;
      const modest = (await hub.watch({ ...request, owner: 'modest' })) as Watcher;
      for (let n = 0; n < 10; n++) {
        await put(`a/${n}`, 'red', 5000);
        await modest.next();
      }
      const text = async (watcher: Watcher): Promise<string> => Buffer.from((await watcher.next()).value).toString();
      const answers = [await text(greedy), await text(elsewhere)];
      expect(answers.filter((answer) => answer.includes('"code":429'))).toHaveLength(1);
      await put('a/last');
      expect(await text(modest)).toContain('"name":"last"');
    });

    it('does not treat a slow start as falling behind', async () => {
      await put('a/1');
      const stream = await open();
      for (let n = 2; n < 10; n++) await put(`a/${n}`, 'red', 5000);
      expect(await stream.take()).toHaveLength(9);
    });
  });

  describe('bookmarks and timeouts', () => {
    it('sends a bookmark every minute, with the newest version of all resources', async () => {
      const stream = await open({ resourceVersion: '1', allowWatchBookmarks: true });
      const silent = await open({ resourceVersion: '1' });
      await storage.commit([{ key: '/registry/core/secrets/a/x', expected: 0, bytes: Buffer.from('{}') }]);
      await clock.advance(60_000);
      const events = await stream.take();
      expect(events).toEqual([
        { type: 'BOOKMARK', object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '2' } } },
      ]);
      expect(await silent.take()).toEqual([]);
      await put('a/1');
      await clock.advance(60_000);
      expect(brief(await stream.take())).toEqual(['ADDED 1@3', 'BOOKMARK @3']);
    });

    it('sends a last bookmark before its timeout', async () => {
      const stream = await open({ resourceVersion: '1', allowWatchBookmarks: true, timeoutSeconds: 10 });
      await clock.advance(8_000);
      expect(brief(await stream.take())).toEqual(['BOOKMARK @1']);
      expect(stream.ended).toBe(false);
      await clock.advance(2_000);
      expect(await stream.take()).toEqual([]);
      expect(stream.ended).toBe(true);
    });

    it('ends after 30 to 60 minutes by default', async () => {
      const stream = await open({ timeoutSeconds: 0 });
      await clock.advance(30 * 60_000 - 1);
      expect(stream.ended).toBe(false);
      await clock.advance(30 * 60_000);
      await stream.take();
      expect(stream.ended).toBe(true);
    });

    it('ends when the client disconnects, and releases its timers', async () => {
      const stream = await open();
      stream.abort.abort();
      await stream.take();
      expect(stream.ended).toBe(true);
      const returned = await open();
      await returned.stop();
      const neverRead = await open();
      neverRead.abort.abort();
      expect(hub.watcherCount).toBe(0);
      await clock.advance(600_000);
      expect(clock.pendingTimers).toBe(0);
    });

    it('ends only the streams whose representation fails to encode an object', async () => {
      const broken: WatchRepresentation = {
        ...plain,
        id: 'broken',
        encode() {
          throw new Error('no cells');
        },
      };
      const [victim, other] = [await open({ representation: broken, resourceVersion: '1' }), await open()];
      await put('a/1');
      expect(brief(await other.take())).toEqual(['ADDED 1@2']);
      await expect(victim.take()).rejects.toThrow('no cells');
    });

    it('ends all streams when the resource is removed', async () => {
      const stream = await open();
      hub.close();
      await stream.take();
      expect(stream.ended).toBe(true);
    });
  });
});

/** Reads a watch without blocking when no data is available. */
class Stream {
  readonly abort: AbortController;
  readonly #iterator: AsyncIterator<Uint8Array>;
  #pending: Promise<IteratorResult<Uint8Array>> | undefined;
  #text = '';
  ended = false;

  constructor(stream: AsyncIterable<Uint8Array>, abort: AbortController) {
    this.#iterator = stream[Symbol.asyncIterator]();
    this.abort = abort;
  }

  /** Reads the next chunk. */
  async chunk(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.#iterator.next();
    return done ? undefined : value;
  }

  /** Reads everything available now. */
  async take(): Promise<Event[]> {
    for (;;) {
      this.#pending ??= this.#iterator.next();
      const result = await Promise.race([this.#pending, nothingYet()]);
      if (!result) break;
      this.#pending = undefined;
      if (result.done) {
        this.ended = true;
        break;
      }
      this.#text += Buffer.from(result.value).toString();
    }
    const lines = this.#text.split('\n');
    this.#text = lines.pop() ?? '';
    return lines.map((line) => JSON.parse(line) as Event);
  }

  async stop(): Promise<void> {
    await this.#iterator.return?.();
  }
}

async function nothingYet(): Promise<undefined> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  return undefined;
}
