import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { followStorage } from './follow-storage.ts';
import { MemoryStorage } from './memory-storage.ts';
import { put } from './storage.contract.ts';
import { CompactedError, type Storage, type StorageWatchOptions } from './storage.ts';

describe('followStorage', () => {
  it('retries the relist after a lost watch and applies the differences', async () => {
    const clock = new VirtualClock();
    const memory = new MemoryStorage({ clock });
    const watches: StorageWatchOptions[] = [];
    let failing = 0;
    const storage: Storage = {
      revision: () => memory.revision(),
      get: (key) => memory.get(key),
      commit: (writes) => memory.commit(writes),
      async list(options) {
        if (failing > 0 && failing-- > 0) throw new Error('unreachable');
        return memory.list(options);
      },
      watch(options, handler) {
        watches.push(options);
        // The first watch misses everything.
        return memory.watch(options, watches.length === 1 ? () => undefined : handler);
      },
      [Symbol.asyncDispose]: () => memory[Symbol.asyncDispose](),
    };
    const { revision } = await memory.commit([put('/r/kept', '1'), put('/r/gone', '1'), put('/r/changed', '1')]);
    const seen: string[] = [];
    const errors: unknown[] = [];
    using _follower = await followStorage(storage, {
      prefix: '/r/',
      clock,
      onError: (error) => errors.push(error),
      apply: ({ key, current, previous }) => seen.push(`${key} ${Boolean(previous)}→${Boolean(current)}`),
    });
    expect(seen.splice(0)).toEqual(['/r/changed false→true', '/r/gone false→true', '/r/kept false→true']);
    await memory.commit([
      { key: '/r/gone', expected: revision, bytes: undefined },
      put('/r/changed', '2', revision),
      put('/r/new', '1'),
    ]);
    failing = 2;
    watches[0]?.onLost?.(new CompactedError(1, 2));
    await clock.advance(1000);
    expect(errors).toHaveLength(2);
    expect(seen.splice(0)).toEqual(['/r/gone true→false', '/r/changed true→true', '/r/new false→true']);
    await memory.commit([put('/r/later', '1')]);
    expect(seen).toEqual(['/r/later false→true']);
    await memory[Symbol.asyncDispose]();
  });
});
