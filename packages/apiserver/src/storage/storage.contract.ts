import type { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CommitTooLargeError,
  CompactedError,
  FutureRevisionError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  type StorageWatch,
  type StorageWrite,
} from './storage.ts';
import { storageModelContract } from './storage-model.contract.ts';

/** A storage under test, with a clock that the test controls. */
export interface StorageUnderTest {
  readonly storage: Storage;
  readonly clock: VirtualClock;
  /** True if keys expire by the system's clock instead of the injected clock. @defaultValue false */
  readonly expiresInRealTime?: boolean;
}

/** Limits that the factory must apply to the storage. */
export interface ContractLimits {
  readonly historyMs: number;
  readonly historyBytes: number;
}

/** Creates a new, empty storage. */
export type StorageFactory = (limits: ContractLimits) => Promise<StorageUnderTest>;

/** Features of a storage, and the number of runs of its model test. */
export interface ContractOptions {
  /** True if history is also bounded by size. @defaultValue true */
  readonly boundsHistorySize?: boolean;
  /** Number of random histories to compare with the model. @defaultValue 300 */
  readonly modelRuns?: number;
}

const contractLimits: ContractLimits = { historyMs: 60_000, historyBytes: 1024 * 1024 };

/** Defines the tests that every {@link Storage} must pass. */
export function storageContract(name: string, create: StorageFactory, options: ContractOptions = {}): void {
  const { boundsHistorySize = true, modelRuns = 300 } = options;
  describe(name, () => {
    let made: StorageUnderTest;
    beforeEach(async () => {
      made = await create(contractLimits);
    });
    afterEach(async () => {
      await made.storage[Symbol.asyncDispose]();
    });
    const context: ContractContext = { storage: () => made.storage, made: () => made };

    commitContract(context);
    expiryContract(context);
    listContract(context);
    watchContract(context);
    historyContract(context);
    if (boundsHistorySize) historySizeContract(create);
    storageModelContract(create, modelRuns);
  });
}

interface ContractContext {
  storage(): Storage;
  made(): StorageUnderTest;
}

/** Returns a write of a string value. */
export function put(key: string, text: string, expected = 0): StorageWrite {
  return { key, expected, bytes: Buffer.from(text) };
}

function remove(key: string, expected: number): StorageWrite {
  return { key, expected, bytes: undefined };
}

function textOf(object: { readonly bytes: Uint8Array } | undefined): string | undefined {
  return object && Buffer.from(object.bytes).toString();
}

async function keysOf(storage: Storage, prefix: string, revision?: number): Promise<readonly string[]> {
  return (await storage.list({ prefix, revision })).objects.map((object) => object.key);
}

function commitContract(context: ContractContext): void {
  it('gives every commit the next revision', async () => {
    const storage = context.storage();
    const before = await storage.revision();
    expect(before).toBeGreaterThan(0);
    const { revision, objects } = await storage.commit([put('/a/x', 'one')]);
    expect(revision).toBe(before + 1);
    expect(objects).toEqual([{ key: '/a/x', revision, bytes: Buffer.from('one') }]);
    expect(await storage.revision()).toBe(revision);
    expect(await storage.get('/a/x')).toEqual(objects[0]);
  });

  it('writes several keys in one revision, or none of them', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/a/x', 'x'), put('/b/y', 'y')]);
    expect((await storage.get('/a/x'))?.revision).toBe(revision);
    expect((await storage.get('/b/y'))?.revision).toBe(revision);
    await expect(storage.commit([put('/a/z', 'z'), put('/b/y', 'again')])).rejects.toThrow(RevisionMismatchError);
    expect(await storage.get('/a/z')).toBeUndefined();
    expect(await storage.revision()).toBe(revision);
  });

  it('reports the actual object if the expected revision is wrong', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/a/x', 'x')]);
    const error: unknown = await storage.commit([put('/a/x', 'y', revision + 7)]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RevisionMismatchError);
    expect(textOf((error as RevisionMismatchError).actual)).toBe('x');
    await expect(storage.commit([remove('/a/none', 3)])).rejects.toThrow(RevisionMismatchError);
  });

  it('limits a commit to 128 keys and 1.5 MiB', async () => {
    const storage = context.storage();
    const writes = Array.from({ length: 129 }, (_, n) => put(`/a/${n}`, 'x'));
    await expect(storage.commit(writes)).rejects.toThrow('cannot write 129 keys: a commit is limited to 128 keys');
    await expect(storage.commit([put('/a/x', 'x'.repeat(1.5 * 1024 * 1024))])).rejects.toThrow(CommitTooLargeError);
    await storage.commit(writes.slice(1));
    expect(await keysOf(storage, '/a/')).toHaveLength(128);
  });

  it('rejects an empty commit, a duplicate key and the deletion of a missing key', async () => {
    const storage = context.storage();
    await expect(storage.commit([])).rejects.toThrow(TypeError);
    await expect(storage.commit([put('/a/x', '1'), put('/a/x', '2')])).rejects.toThrow(TypeError);
    await expect(storage.commit([remove('/a/x', 0)])).rejects.toThrow(TypeError);
  });

  it('deletes a key and recreates it', async () => {
    const storage = context.storage();
    const first = await storage.commit([put('/a/x', '1')]);
    const { objects } = await storage.commit([remove('/a/x', first.revision)]);
    expect(objects).toEqual([undefined]);
    expect(await storage.get('/a/x')).toBeUndefined();
    const again = await storage.commit([put('/a/x', '2')]);
    expect(await storage.get('/a/x')).toEqual({ key: '/a/x', revision: again.revision, bytes: Buffer.from('2') });
  });

  it('accepts exactly one of several concurrent writes to a key', async () => {
    const storage = context.storage();
    const attempts = await Promise.allSettled([1, 2, 3].map((n) => storage.commit([put('/a/x', `${n}`)])));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('rejects all operations once closed', async () => {
    const storage = context.storage();
    await storage[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
    await expect(storage.revision()).rejects.toThrow(StorageClosedError);
    await expect(storage.get('/a/x')).rejects.toThrow(StorageClosedError);
    await expect(storage.list({ prefix: '/' })).rejects.toThrow(StorageClosedError);
    await expect(storage.commit([put('/a/x', 'x')])).rejects.toThrow(StorageClosedError);
    await expect(storage.watch({ prefix: '/', fromRevision: 0 }, () => undefined)).rejects.toThrow(StorageClosedError);
  });
}

function expiryContract(context: ContractContext): void {
  it('deletes a key at the end of its time to live, unless it is written again', { timeout: 20_000 }, async () => {
    const { storage, clock, expiresInRealTime = false } = context.made();
    const watched: string[] = [];
    using watch = await storage.watch({ prefix: '/r/', fromRevision: await storage.revision() }, (changes) => {
      for (const { key, current } of changes) if (!current) watched.push(key);
    });
    const short = { ttlSeconds: 2 };
    const { revision } = await storage.commit([
      { ...put('/r/short', 'x'), ...short },
      { ...put('/r/kept', 'x'), ...short },
      { ...put('/r/longer', 'x'), ...short },
      put('/r/forever', 'x'),
    ]);
    await storage.commit([put('/r/kept', 'y', revision)]);
    await storage.commit([{ ...put('/r/longer', 'y', revision), ttlSeconds: 3600 }]);
    expect(await keysOf(storage, '/r/')).toHaveLength(4);
    const gone = async (): Promise<readonly string[]> => {
      if (!expiresInRealTime) await clock.advance(500);
      return keysOf(storage, '/r/');
    };
    await expect.poll(gone, { timeout: 15_000 }).toEqual(['/r/forever', '/r/kept', '/r/longer']);
    await watch.synced();
    expect(watched).toEqual(['/r/short']);
    expect(await storage.revision()).toBe(revision + 3);
    if (expiresInRealTime) return;
    await clock.advance(3_599_000);
    await expect.poll(() => keysOf(storage, '/r/')).toEqual(['/r/forever', '/r/kept']);
  });
}

function listContract(context: ContractContext): void {
  it('lists only keys under the prefix, in byte order', async () => {
    const storage = context.storage();
    // `-` and `.` sort before `/`, so the namespaces a-b and a.b come before a; U+10000 comes after U+FFFD.
    const keys = [
      '/r/pods/a-b/x',
      '/r/pods/a.b/x',
      '/r/pods/a/x',
      '/r/pods/a/x-1',
      '/r/pods/a/\ufffd',
      '/r/pods/a/\u{10000}',
    ];
    for (const key of [...keys].reverse()) await storage.commit([put(key, 'v')]);
    await storage.commit([put('/r/podsx/a/x', 'v'), put('/r/pod/a/x', 'v')]);
    expect(await keysOf(storage, '/r/pods/')).toEqual(keys);
    expect(await keysOf(storage, '/r/pods/a/')).toEqual(keys.slice(2));
    expect(await keysOf(storage, '/r/pods/none/')).toEqual([]);
  });

  it('distinguishes a key from a prefix of the same name', async () => {
    const storage = context.storage();
    await storage.commit([put('/r/n', 'key'), put('/r/n/x', 'below'), put('/r/n-1', 'beside')]);
    expect(await keysOf(storage, '/r/')).toEqual(['/r/n', '/r/n-1', '/r/n/x']);
  });

  it('returns pages, with the number of remaining keys if it is known', async () => {
    const storage = context.storage();
    for (const n of ['a/1', 'a/2', 'b/1', 'b/2', 'c/1']) await storage.commit([put(`/r/${n}`, n)]);
    const first = await storage.list({ prefix: '/r/', limit: 2, count: true });
    expect(first.objects.map(({ key }) => key)).toEqual(['/r/a/1', '/r/a/2']);
    expect(first.more).toBe(true);
    expect([3, undefined]).toContain(first.remaining);
    expect((await storage.list({ prefix: '/r/', limit: 2 })).more).toBe(true);
    await storage.commit([put('/r/b/0', 'later')]);
    const { revision } = first;
    const second = await storage.list({ prefix: '/r/', limit: 2, after: '/r/a/2', revision, count: true });
    expect(second.objects.map(({ key }) => key)).toEqual(['/r/b/1', '/r/b/2']);
    expect([1, undefined]).toContain(second.remaining);
    const third = await storage.list({ prefix: '/r/', limit: 2, after: '/r/b/2', revision, count: true });
    expect(third.objects.map(({ key }) => key)).toEqual(['/r/c/1']);
    expect(third.more).toBe(false);
    expect([0, undefined]).toContain(third.remaining);
    expect((await storage.list({ prefix: '/r/', after: '/r/b/1x' })).objects.map(({ key }) => key)).toEqual([
      '/r/b/2',
      '/r/c/1',
    ]);
  });

  it('lists the keys of a past revision', async () => {
    const storage = context.storage();
    const { revision: r1 } = await storage.commit([put('/r/x', '1')]);
    const { revision: r2 } = await storage.commit([put('/r/y', '2')]);
    const { revision: r3 } = await storage.commit([remove('/r/x', r1)]);
    await storage.commit([put('/r/x', '4')]);
    expect(await keysOf(storage, '/r/', r1 - 1)).toEqual([]);
    expect(await keysOf(storage, '/r/', r1)).toEqual(['/r/x']);
    expect(await keysOf(storage, '/r/', r2)).toEqual(['/r/x', '/r/y']);
    expect(await keysOf(storage, '/r/', r3)).toEqual(['/r/y']);
    expect((await storage.list({ prefix: '/r/', revision: r2 })).revision).toBe(r2);
    expect(await keysOf(storage, '/r/')).toEqual(['/r/x', '/r/y']);
  });

  it('rejects a revision that does not exist yet', async () => {
    const storage = context.storage();
    const requested = (await storage.revision()) + 1;
    await expect(storage.list({ prefix: '/', revision: requested })).rejects.toThrow(FutureRevisionError);
  });
}

function watchContract(context: ContractContext): void {
  const collect = async (
    prefix: string,
    fromRevision?: number,
  ): Promise<{ readonly changes: StorageChange[] } & StorageWatch> => {
    const storage = context.storage();
    const changes: StorageChange[] = [];
    const options = { prefix, fromRevision: fromRevision ?? (await storage.revision()) };
    const watch = await storage.watch(options, (more) => changes.push(...more));
    return { changes, synced: () => watch.synced(), [Symbol.dispose]: () => watch[Symbol.dispose]() };
  };

  it('delivers creations, updates and deletions in order, with both values', async () => {
    const storage = context.storage();
    const seen = await collect('/r/');
    const a = await storage.commit([put('/r/x', 'a')]);
    const b = await storage.commit([put('/r/x', 'b', a.revision)]);
    const c = await storage.commit([remove('/r/x', b.revision), put('/r/y', 'c')]);
    expect(await seen.synced()).toBeGreaterThanOrEqual(c.revision);
    expect(
      seen.changes.map(({ key, revision, current, previous }) => [key, revision, textOf(current), textOf(previous)]),
    ).toEqual([
      ['/r/x', a.revision, 'a', undefined],
      ['/r/x', b.revision, 'b', 'a'],
      ['/r/x', c.revision, undefined, 'b'],
      ['/r/y', c.revision, 'c', undefined],
    ]);
  });

  it('delivers only keys under the prefix', async () => {
    const storage = context.storage();
    const seen = await collect('/r/a/');
    await storage.commit([put('/r/a/x', '1'), put('/r/a-b/x', '2'), put('/r/ab', '3'), put('/q/a/x', '4')]);
    await seen.synced();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/a/x']);
  });

  it('delivers history first, then live changes without gaps or duplicates', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/r/1', '1')]);
    await storage.commit([put('/r/2', '2')]);
    const unsettled = storage.commit([put('/r/3', '3')]);
    const seen = await collect('/r/', revision);
    await unsettled;
    await storage.commit([put('/r/4', '4')]);
    await seen.synced();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/2', '/r/3', '/r/4']);
  });

  it('starts a watch at a future revision once that revision is reached', async () => {
    const storage = context.storage();
    const seen = await collect('/r/', (await storage.revision()) + 2);
    for (const n of [1, 2, 3, 4]) await storage.commit([put(`/r/${n}`, 'x')]);
    await seen.synced();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/3', '/r/4']);
  });

  it('reports a watch as synced even if nothing under its prefix changes', async () => {
    const storage = context.storage();
    const seen = await collect('/quiet/');
    const { revision } = await storage.commit([put('/r/1', 'x')]);
    expect(await seen.synced()).toBeGreaterThanOrEqual(revision);
    expect(seen.changes).toEqual([]);
  });

  it('stops once disposed, even between a write and its delivery', async () => {
    const storage = context.storage();
    const seen = await collect('/r/');
    const other = await collect('/r/');
    const write = storage.commit([put('/r/1', '1')]);
    seen[Symbol.dispose]();
    seen[Symbol.dispose]();
    await write;
    await other.synced();
    expect(seen.changes).toEqual([]);
    expect(other.changes).toHaveLength(1);
  });
}

function historyContract(context: ContractContext): void {
  it('drops history after its maximum age and keeps current objects', async () => {
    const { storage, clock } = context.made();
    const a = await storage.commit([put('/r/x', 'a'), put('/r/gone', 'g')]);
    await clock.advance(contractLimits.historyMs / 2);
    await storage.commit([put('/r/x', 'b', a.revision), remove('/r/gone', a.revision)]);
    expect(await keysOf(storage, '/r/', a.revision)).toEqual(['/r/gone', '/r/x']);
    const isCompacted = async (): Promise<boolean> => {
      await clock.advance(contractLimits.historyMs / 2);
      return storage.list({ prefix: '/r/', revision: a.revision }).then(
        () => false,
        (error: unknown) => error instanceof CompactedError,
      );
    };
    await expect.poll(isCompacted).toBe(true);
    const watch = storage.watch({ prefix: '/r/', fromRevision: a.revision }, () => undefined);
    await expect(watch).rejects.toThrow(CompactedError);
    const newest = await storage.revision();
    using kept = await storage.watch({ prefix: '/r/', fromRevision: newest }, () => undefined);
    await kept.synced();
    expect(await keysOf(storage, '/r/', newest)).toEqual(['/r/x']);
    expect(await keysOf(storage, '/r/')).toEqual(['/r/x']);
  });
}

function historySizeContract(create: StorageFactory): void {
  it('drops the oldest history when it grows too large', async () => {
    const { storage } = await create({ historyMs: 60_000, historyBytes: 100_000 });
    let expected = 0;
    const first = await storage.revision();
    for (let n = 0; n < 300; n++) expected = (await storage.commit([put('/r/x', 'x'.repeat(1000), expected)])).revision;
    await expect(storage.list({ prefix: '/r/', revision: first + 1 })).rejects.toThrow(CompactedError);
    expect((await storage.list({ prefix: '/r/', revision: expected - 1 })).objects).toHaveLength(1);
    expect((await storage.get('/r/x'))?.revision).toBe(expected);
    await storage[Symbol.asyncDispose]();
  });
}
