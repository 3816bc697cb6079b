import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { MemoryStorage } from '../memory-storage.ts';
import { put, storageContract } from '../storage.contract.ts';
import { CompactedError, type Storage, type StorageWatchOptions } from '../storage.ts';
import { StorageNotReadyError } from '../storage-not-ready-error.ts';
import { resourcePrefix } from './resource-prefix.ts';
import { WatchCache } from './watch-cache.ts';

storageContract('WatchCache', async (limits) => {
  const clock = new VirtualClock();
  return { clock, storage: new WatchCache(new MemoryStorage({ clock, ...limits }), { clock, ...limits }) };
});

interface Counted {
  readonly storage: Storage;
  readonly watches: StorageWatchOptions[];
  /** Number of upcoming lists that will fail. */
  failingLists: number;
  /** True if watches deliver nothing, as when the connection to another process is lost. */
  isCut: boolean;
}

/** Wraps a storage to record its watches, interrupt them, and make lists fail. */
function counted(storage: Storage): Counted {
  const made: Counted = {
    watches: [],
    failingLists: 0,
    isCut: false,
    storage: {
      revision: () => storage.revision(),
      get: (key) => storage.get(key),
      async list(options) {
        if (made.failingLists > 0 && made.failingLists-- > 0) throw new Error('unreachable');
        return storage.list(options);
      },
      commit: (writes) => storage.commit(writes),
      async watch(options, handler) {
        made.watches.push(options);
        const watch = await storage.watch(options, (changes) => {
          if (!made.isCut) handler(changes);
        });
        return {
          synced: () => (made.isCut ? Promise.reject(new Error('unreachable')) : watch.synced()),
          [Symbol.dispose]: () => watch[Symbol.dispose](),
        };
      },
      [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
    },
  };
  return made;
}

describe('WatchCache', () => {
  it('watches a resource once for any number of readers', async () => {
    const clock = new VirtualClock();
    const { storage, watches } = counted(new MemoryStorage({ clock }));
    await using cache = new WatchCache(storage, { clock });
    const seen: string[] = [];
    for (let n = 0; n < 5; n++) {
      await cache.watch({ prefix: '/registry/pods/', fromRevision: 1 }, (changes) =>
        seen.push(...changes.map((c) => c.key)),
      );
      await cache.list({ prefix: '/registry/pods/default/' });
    }
    await storage.commit([put('/registry/pods/default/a', 'x')]);
    expect((await cache.list({ prefix: '/registry/pods/' })).objects).toHaveLength(1);
    expect(seen).toHaveLength(5);
    expect(watches).toHaveLength(1);
    const [first, second] = [await cache.get('/registry/pods/default/a'), await cache.get('/registry/pods/default/a')];
    expect(first?.bytes).toBe(second?.bytes);
  });

  it('catches up after a lost watch by applying the missed changes', async () => {
    const clock = new VirtualClock();
    const memory = new MemoryStorage({ clock });
    const { storage, watches } = counted(memory);
    await using cache = new WatchCache(storage, { clock });
    const object = (uid: string): string => JSON.stringify({ metadata: { uid } });
    const { revision } = await storage.commit(
      ['kept', 'gone', 'again'].map((name) => put(`/r/x/${name}`, object('1'))),
    );
    const seen: string[] = [];
    await cache.watch({ prefix: '/r/x/', fromRevision: revision }, (changes) => {
      for (const { key, current, previous } of changes) seen.push(`${key} ${Boolean(previous)}→${Boolean(current)}`);
    });
    // The watch is lost before these commits are delivered to the cache.
    const pending = [
      storage.commit([{ key: '/r/x/gone', expected: revision, bytes: undefined }]),
      storage.commit([{ key: '/r/x/again', expected: revision, bytes: undefined }]),
      storage.commit([put('/r/x/again', object('2')), put('/r/x/new', object('3'))]),
    ];
    await Promise.all(pending);
    watches[0]?.onLost?.(new CompactedError(1, 2));
    await expect.poll(() => watches.length).toBe(2);
    expect(seen.toSorted().filter((line, index, all) => line !== all[index - 1])).toEqual([
      '/r/x/again false→true',
      '/r/x/again true→false',
      '/r/x/gone true→false',
      '/r/x/new false→true',
    ]);
    expect((await cache.list({ prefix: '/r/x/' })).objects.map(({ key }) => key)).toEqual([
      '/r/x/again',
      '/r/x/kept',
      '/r/x/new',
    ]);
  });
});

describe('WatchCache after lost changes', () => {
  it('retries the relist, and until then reads from storage and rejects watches', async () => {
    const clock = new VirtualClock();
    const made = counted(new MemoryStorage({ clock }));
    const errors: unknown[] = [];
    await using cache = new WatchCache(made.storage, { clock, onError: (error) => errors.push(error) });
    const { revision } = await cache.commit([put('/r/x/old', '{}')]);
    const seen: string[] = [];
    await cache.watch({ prefix: '/r/x/', fromRevision: revision }, (changes) =>
      seen.push(...changes.map(({ key }) => key)),
    );
    made.isCut = true;
    await made.storage.commit([put('/r/x/missed', '{}')]);
    made.failingLists = 3;
    made.watches[0]?.onLost?.(new CompactedError(1, 2));
    await expect(cache.watch({ prefix: '/r/x/', fromRevision: revision }, () => undefined)).rejects.toThrow(
      StorageNotReadyError,
    );
    await clock.advance(350);
    expect(errors).toHaveLength(3);
    expect((await cache.list({ prefix: '/r/x/' })).objects).toHaveLength(2);
    expect(seen).toEqual([]);
    made.isCut = false;
    await clock.advance(500);
    expect(seen).toEqual(['/r/x/missed']);
    await cache.commit([put('/r/x/later', '{}')]);
    expect(seen).toEqual(['/r/x/missed', '/r/x/later']);
    expect(made.watches).toHaveLength(2);
  });

  it('completes a commit even if the change does not reach the cache', async () => {
    const clock = new VirtualClock();
    const made = counted(new MemoryStorage({ clock }));
    await using cache = new WatchCache(made.storage, { clock });
    await cache.list({ prefix: '/r/x/' });
    made.isCut = true;
    const commit = cache.commit([put('/r/x/a', '{}')]);
    await clock.advance(3000);
    expect(await commit).toMatchObject({ objects: [{ key: '/r/x/a' }] });
  });

  it('ends its watch of storage if the first list cannot be completed', async () => {
    const clock = new VirtualClock();
    let open = 0;
    const memory = new MemoryStorage({ clock });
    const storage: Storage = {
      ...counted(memory).storage,
      async watch() {
        open++;
        return {
          synced: () => Promise.reject(new Error('unreachable')),
          [Symbol.dispose]: () => void open--,
        };
      },
    };
    await using cache = new WatchCache(storage, { clock });
    await expect(cache.list({ prefix: '/r/x/' })).rejects.toThrow('unreachable');
    expect(open).toBe(0);
  });
});

describe('resourcePrefix', () => {
  it.each([
    ['/registry/pods/default/a', '/registry/pods/'],
    ['/registry/minions/a', '/registry/minions/'],
    ['/registry/services/specs/default/a', '/registry/services/specs/'],
    ['/registry/example.com/widgets/default/a', '/registry/example.com/widgets/'],
    ['/registry/pods', undefined],
    ['/registry/', undefined],
  ])('of %s is %s', (key, prefix) => {
    expect(resourcePrefix(key)).toBe(prefix);
  });
});
