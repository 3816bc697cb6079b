import type { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CompactedError,
  FutureRevisionError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  StorageClosedError,
  type StorageWrite,
} from './storage.ts';
import { storageModelContract } from './storage-model.contract.ts';

/** A storage under test, with a clock that the test controls. */
export interface StorageUnderTest {
  readonly storage: Storage;
  readonly clock: VirtualClock;
}

/** Limits that the factory must apply to the storage. */
export interface ContractLimits {
  readonly historyMs: number;
  readonly historyBytes: number;
}

/** Creates a new, empty storage. */
export type StorageFactory = (limits: ContractLimits) => Promise<StorageUnderTest>;

const LIMITS: ContractLimits = { historyMs: 60_000, historyBytes: 1024 * 1024 };

/** Defines the tests that every {@link Storage} must pass. */
export function storageContract(name: string, create: StorageFactory): void {
  describe(name, () => {
    let storage: Storage;
    let clock: VirtualClock;
    beforeEach(async () => {
      ({ storage, clock } = await create(LIMITS));
    });
    afterEach(async () => {
      await storage[Symbol.asyncDispose]();
    });
    const context: ContractContext = { storage: () => storage, clock: () => clock };

    commitContract(context);
    listContract(context);
    watchContract(context);
    historyContract(context, create);
    storageModelContract(create);
  });
}

interface ContractContext {
  storage(): Storage;
  clock(): VirtualClock;
}

/** Returns a write of a text value. */
export function put(key: string, text: string, expected = 0): StorageWrite {
  return { key, expected, encode: (revision) => Buffer.from(`${text}@${revision}`) };
}

function remove(key: string, expected: number): StorageWrite {
  return { key, expected, encode: undefined };
}

function textOf(object: { readonly bytes: Uint8Array } | undefined): string | undefined {
  return object && Buffer.from(object.bytes).toString();
}

async function keysOf(storage: Storage, prefix: string, revision?: number): Promise<readonly string[]> {
  return (await storage.list({ prefix, revision })).objects.map((object) => object.key);
}

function commitContract(context: ContractContext): void {
  it('gives every commit the next revision and passes it to the encoder', async () => {
    const storage = context.storage();
    const before = storage.revision;
    expect(before).toBeGreaterThan(0);
    const { revision, objects } = await storage.commit([put('/a/x', 'one')]);
    expect(revision).toBe(before + 1);
    expect(objects).toEqual([{ key: '/a/x', revision, bytes: Buffer.from(`one@${revision}`) }]);
    expect(storage.revision).toBe(revision);
    expect(await storage.get('/a/x')).toEqual(objects[0]);
  });

  it('writes several keys in one revision, or none of them', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/a/x', 'x'), put('/b/y', 'y')]);
    expect((await storage.get('/a/x'))?.revision).toBe(revision);
    expect((await storage.get('/b/y'))?.revision).toBe(revision);
    await expect(storage.commit([put('/a/z', 'z'), put('/b/y', 'again')])).rejects.toThrow(RevisionMismatchError);
    expect(await storage.get('/a/z')).toBeUndefined();
    expect(storage.revision).toBe(revision);
  });

  it('reports the actual object if the expected revision is wrong', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/a/x', 'x')]);
    const error: unknown = await storage.commit([put('/a/x', 'y', revision + 7)]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RevisionMismatchError);
    expect(textOf((error as RevisionMismatchError).actual)).toBe(`x@${revision}`);
    await expect(storage.commit([remove('/a/none', 3)])).rejects.toThrow(RevisionMismatchError);
  });

  it('writes nothing if an encoder throws', async () => {
    const storage = context.storage();
    const before = storage.revision;
    const failing: StorageWrite = {
      key: '/a/y',
      expected: 0,
      encode: () => {
        throw new Error('no such thing');
      },
    };
    await expect(storage.commit([put('/a/x', 'x'), failing])).rejects.toThrow('no such thing');
    expect(storage.revision).toBe(before);
    expect(await keysOf(storage, '/a/')).toEqual([]);
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
    expect(textOf(await storage.get('/a/x'))).toBe(`2@${again.revision}`);
  });

  it('lets exactly one of several concurrent writers win', async () => {
    const storage = context.storage();
    const attempts = await Promise.allSettled([1, 2, 3].map((n) => storage.commit([put('/a/x', `${n}`)])));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('rejects all operations once closed', async () => {
    const storage = context.storage();
    await storage[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
    await expect(storage.get('/a/x')).rejects.toThrow(StorageClosedError);
    await expect(storage.list({ prefix: '/' })).rejects.toThrow(StorageClosedError);
    await expect(storage.commit([put('/a/x', 'x')])).rejects.toThrow(StorageClosedError);
    expect(() => storage.watch({ prefix: '/', fromRevision: 0 }, () => undefined)).toThrow(StorageClosedError);
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

  it('returns pages with the number of remaining keys', async () => {
    const storage = context.storage();
    for (const n of ['a/1', 'a/2', 'b/1', 'b/2', 'c/1']) await storage.commit([put(`/r/${n}`, n)]);
    const first = await storage.list({ prefix: '/r/', limit: 2 });
    expect(first.objects.map(({ key }) => key)).toEqual(['/r/a/1', '/r/a/2']);
    expect(first.remaining).toBe(3);
    await storage.commit([put('/r/b/0', 'later')]);
    const { revision } = first;
    const second = await storage.list({ prefix: '/r/', limit: 2, after: '/r/a/2', revision });
    expect(second.objects.map(({ key }) => key)).toEqual(['/r/b/1', '/r/b/2']);
    expect(second.remaining).toBe(1);
    const third = await storage.list({ prefix: '/r/', limit: 2, after: '/r/b/2', revision });
    expect(third.objects.map(({ key }) => key)).toEqual(['/r/c/1']);
    expect(third.remaining).toBe(0);
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
    const asked = storage.revision + 1;
    await expect(storage.list({ prefix: '/', revision: asked })).rejects.toThrow(FutureRevisionError);
  });
}

function watchContract(context: ContractContext): void {
  const collect = (
    prefix: string,
    fromRevision: number,
  ): { changes: StorageChange[]; calls: number[] } & Disposable => {
    const seen: { changes: StorageChange[]; calls: number[] } = { changes: [], calls: [] };
    const subscription = context.storage().watch({ prefix, fromRevision }, (changes) => {
      seen.changes.push(...changes);
      seen.calls.push(changes.length);
    });
    return { ...seen, [Symbol.dispose]: () => subscription[Symbol.dispose]() };
  };

  it('delivers creations, updates and deletions in order, with both values', async () => {
    const storage = context.storage();
    const seen = collect('/r/', storage.revision);
    const a = await storage.commit([put('/r/x', 'a')]);
    const b = await storage.commit([put('/r/x', 'b', a.revision)]);
    const c = await storage.commit([remove('/r/x', b.revision), put('/r/y', 'c')]);
    await settled();
    expect(
      seen.changes.map(({ key, revision, current, previous }) => [key, revision, textOf(current), textOf(previous)]),
    ).toEqual([
      ['/r/x', a.revision, `a@${a.revision}`, undefined],
      ['/r/x', b.revision, `b@${b.revision}`, `a@${a.revision}`],
      ['/r/x', c.revision, undefined, `b@${b.revision}`],
      ['/r/y', c.revision, `c@${c.revision}`, undefined],
    ]);
  });

  it('delivers only keys under the prefix', async () => {
    const storage = context.storage();
    const seen = collect('/r/a/', storage.revision);
    await storage.commit([put('/r/a/x', '1'), put('/r/a-b/x', '2'), put('/r/ab', '3'), put('/q/a/x', '4')]);
    await settled();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/a/x']);
  });

  it('delivers history first, then live changes without gaps or duplicates', async () => {
    const storage = context.storage();
    const { revision } = await storage.commit([put('/r/1', '1')]);
    await storage.commit([put('/r/2', '2')]);
    const unsettled = storage.commit([put('/r/3', '3')]);
    const seen = collect('/r/', revision);
    await unsettled;
    await storage.commit([put('/r/4', '4')]);
    await settled();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/2', '/r/3', '/r/4']);
  });

  it('starts at a future revision once it is reached', async () => {
    const storage = context.storage();
    const seen = collect('/r/', storage.revision + 2);
    for (const n of [1, 2, 3, 4]) await storage.commit([put(`/r/${n}`, 'x')]);
    await settled();
    expect(seen.changes.map(({ key }) => key)).toEqual(['/r/3', '/r/4']);
  });

  it('delivers all changes of one turn in one call', async () => {
    const storage = context.storage();
    const seen = collect('/r/', storage.revision);
    await Promise.all([1, 2, 3].map((n) => storage.commit([put(`/r/${n}`, 'x')])));
    await settled();
    expect(seen.changes).toHaveLength(3);
    expect(seen.calls.length).toBeLessThan(3);
  });

  it('stops once disposed, even between a write and its delivery', async () => {
    const storage = context.storage();
    const seen = collect('/r/', storage.revision);
    const other = collect('/r/', storage.revision);
    const write = storage.commit([put('/r/1', '1')]);
    seen[Symbol.dispose]();
    seen[Symbol.dispose]();
    await write;
    await settled();
    expect(seen.changes).toEqual([]);
    expect(other.changes).toHaveLength(1);
  });
}

function historyContract(context: ContractContext, create: StorageFactory): void {
  it('drops history after its maximum age and keeps current objects', async () => {
    const [storage, clock] = [context.storage(), context.clock()];
    const a = await storage.commit([put('/r/x', 'a'), put('/r/gone', 'g')]);
    await clock.advance(LIMITS.historyMs / 2);
    const b = await storage.commit([put('/r/x', 'b', a.revision), remove('/r/gone', a.revision)]);
    await clock.advance(LIMITS.historyMs / 2);
    expect(storage.compactedRevision).toBe(a.revision);
    expect(await keysOf(storage, '/r/', a.revision)).toEqual(['/r/gone', '/r/x']);
    await clock.advance(LIMITS.historyMs / 2);
    expect(storage.compactedRevision).toBe(b.revision);
    await expect(storage.list({ prefix: '/r/', revision: a.revision })).rejects.toThrow(CompactedError);
    expect(() => storage.watch({ prefix: '/r/', fromRevision: a.revision }, () => undefined)).toThrow(CompactedError);
    storage.watch({ prefix: '/r/', fromRevision: b.revision }, () => undefined)[Symbol.dispose]();
    expect(await keysOf(storage, '/r/', b.revision)).toEqual(['/r/x']);
    expect(await keysOf(storage, '/r/')).toEqual(['/r/x']);
  });

  it('drops the oldest history when it grows too large', async () => {
    const { storage } = await create({ historyMs: 60_000, historyBytes: 100_000 });
    let expected = 0;
    const first = storage.revision;
    for (let n = 0; n < 300; n++) expected = (await storage.commit([put('/r/x', 'x'.repeat(1000), expected)])).revision;
    expect(storage.compactedRevision).toBeGreaterThan(first);
    expect(storage.compactedRevision).toBeLessThan(storage.revision);
    expect((await storage.get('/r/x'))?.revision).toBe(storage.revision);
    await storage[Symbol.asyncDispose]();
  });
}

/** Waits until pending deliveries have happened. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
