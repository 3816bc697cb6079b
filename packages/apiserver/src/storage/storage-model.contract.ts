import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StorageFactory } from './storage.contract.ts';
import {
  CompactedError,
  RevisionMismatchError,
  type Storage,
  type StorageChange,
  type StorageWatch,
} from './storage.ts';

/** A naive storage that keeps a full copy of all keys for every revision. */
class NaiveStorage {
  readonly snapshots: ReadonlyMap<string, string>[] = [];
  readonly changes: { readonly key: string; readonly revision: number; readonly text: string | undefined }[] = [];
  readonly base: number;
  readonly revisions = new Map<string, number>();

  constructor(base: number) {
    this.base = base;
    this.snapshots.push(new Map());
  }

  get revision(): number {
    return this.base + this.snapshots.length - 1;
  }

  at(revision: number): ReadonlyMap<string, string> {
    return this.snapshots[revision - this.base] ?? new Map();
  }

  commit(writes: readonly { readonly key: string; readonly text: string | undefined }[]): void {
    const next = new Map(this.at(this.revision));
    const revision = this.revision + 1;
    for (const { key, text } of writes) {
      if (text === undefined) next.delete(key);
      else next.set(key, text);
      if (text === undefined) this.revisions.delete(key);
      else this.revisions.set(key, revision);
      this.changes.push({ key, revision, text });
    }
    this.snapshots.push(next);
  }
}

const prefixes = ['/', '/r/', '/r/a/', '/r/a-b/', '/r/b/', '/q/'];
const keys = ['/r/a/1', '/r/a/2', '/r/a/3', '/r/a-b/1', '/r/a-b/2', '/r/b/1', '/r/a', '/q/1', '/q/2'];
const key = fc.constantFrom(...keys);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('commit' as const),
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      remove: fc.boolean(),
      stale: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('list' as const),
      prefix: fc.constantFrom(...prefixes),
      back: fc.nat(12),
      limit: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      after: fc.option(key, { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('watch' as const),
      prefix: fc.constantFrom(...prefixes),
      back: fc.nat(12),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 400 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Watcher {
  readonly prefix: string;
  readonly from: number;
  readonly changes: StorageChange[];
  readonly watch: StorageWatch;
}

/** Compares a storage with {@link NaiveStorage} over random histories. */
export function storageModelContract(create: StorageFactory, numRuns: number): void {
  it('behaves like a storage with a full copy for every revision', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const { storage, clock } = await create({ historyMs: 1000, historyBytes: 1_000_000 });
      const model = new NaiveStorage(await storage.revision());
      const world: World = { storage, model, watchers: [], elapsedMs: 0 };
      for (const next of steps) {
        if (next.type === 'wait') {
          await clock.advance(next.ms);
          world.elapsedMs += next.ms;
        } else await play(next, world);
      }
      for (const watcher of world.watchers) {
        await watcher.watch.synced();
        compareWatcher(watcher, model);
      }
      await storage[Symbol.asyncDispose]();
    });
    await fc.assert(property, { numRuns });
  });
}

interface World {
  readonly storage: Storage;
  readonly model: NaiveStorage;
  readonly watchers: Watcher[];
  elapsedMs: number;
}

async function play(next: Exclude<Step, { type: 'wait' }>, world: World): Promise<void> {
  if (next.type === 'commit') return playCommit(next, world);
  const revision = Math.max(world.model.base, world.model.revision - next.back);
  return next.type === 'list' ? playList({ ...next, revision }, world) : playWatch({ ...next, revision }, world);
}

async function playCommit(next: Extract<Step, { type: 'commit' }>, { storage, model }: World): Promise<void> {
  const writes = next.keys
    .map((name) => ({ key: name, expected: model.revisions.get(name) ?? 0 }))
    .filter(({ expected }) => !next.remove || expected > 0)
    .map((write) => ({ ...write, text: next.remove ? undefined : `${write.key}#${model.revision + 1}` }));
  if (writes.length === 0) return;
  const commit = storage.commit(
    writes.map(({ key: name, expected, text }, index) => ({
      key: name,
      expected: next.stale && index === 0 ? expected + 1 : expected,
      bytes: text === undefined ? undefined : Buffer.from(text),
    })),
  );
  if (next.stale) {
    await expect(commit).rejects.toThrow(RevisionMismatchError);
    return;
  }
  model.commit(writes);
  expect((await commit).revision).toBe(model.revision);
}

async function playList(
  next: Extract<Step, { type: 'list' }> & { readonly revision: number },
  world: World,
): Promise<void> {
  const { storage, model } = world;
  const { prefix, revision, limit, after } = next;
  const list = await unlessCompacted(storage.list({ prefix, revision, limit, after, count: true }), {
    revision,
    world,
  });
  if (!list) return;
  const all = [...model.at(revision)]
    .filter(([name]) => name.startsWith(prefix) && (after === undefined || name > after))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const { objects, more, remaining } = list;
  expect(objects.map((object) => [object.key, Buffer.from(object.bytes).toString()])).toEqual(all.slice(0, limit));
  const left = Math.max(0, all.length - (limit ?? all.length));
  expect(more).toBe(left > 0);
  expect([left, undefined]).toContain(remaining);
}

/**
 * Returns the result, or undefined if the revision has been compacted. Compaction must not happen before history
 * reaches its maximum age.
 */
async function unlessCompacted<T>(
  result: Promise<T>,
  requested: { readonly revision: number; readonly world: World },
): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    expect(requested.world.elapsedMs).toBeGreaterThanOrEqual(1000);
    expect(error.compactedRevision).toBeGreaterThan(requested.revision);
    return undefined;
  }
}

async function playWatch(
  next: Extract<Step, { type: 'watch' }> & { readonly revision: number },
  world: World,
): Promise<void> {
  const { prefix, revision } = next;
  const changes: StorageChange[] = [];
  const started = world.storage.watch({ prefix, fromRevision: revision }, (more) => changes.push(...more));
  const watch = await unlessCompacted(started, { revision, world });
  if (watch) world.watchers.push({ prefix, from: revision, changes, watch });
}

function compareWatcher(watcher: Watcher, model: NaiveStorage): void {
  const expected = model.changes.filter(
    (change) => change.revision > watcher.from && change.key.startsWith(watcher.prefix),
  );
  expect(
    watcher.changes.map(({ key: name, revision, current }) => [
      name,
      revision,
      current && Buffer.from(current.bytes).toString(),
    ]),
  ).toEqual(expected.map(({ key: name, revision, text }) => [name, revision, text]));
  for (const { key: name, revision, previous } of watcher.changes) {
    expect(previous && Buffer.from(previous.bytes).toString()).toBe(model.at(revision - 1).get(name));
  }
}
