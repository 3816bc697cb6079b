import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { MemoryStorage } from '../storage/index.ts';
import { plainRepresentation } from './plain-representation.ts';
import { WatchHub } from './watch-hub.ts';
import type { Watcher } from './watcher.ts';

describe('Watcher', () => {
  it('leaves its hub when its stream fails', async () => {
    const clock = new VirtualClock();
    const storage = new MemoryStorage({ clock, historyMs: 60_000 });
    const hub = new WatchHub({ storage, prefix: '/a/', clock, random: seededRandom(1), ringBytes: 1_000 });
    const representation = plainRepresentation({ apiVersion: 'v1', kind: 'ConfigMap' });
    const { signal } = new AbortController();
    const broken = {
      next: async () => {
        throw new Error('unreadable');
      },
    };
    const failing: ((watcher: Watcher) => void)[] = [
      (watcher) => watcher.begin({ backlog: broken, afterRevision: 0 }),
      (watcher) => watcher.fail(new Error('unreadable')),
    ];
    for (const fail of failing) {
      const watcher = (await hub.watch({ representation, signal })) as Watcher;
      fail(watcher);
      await expect(watcher.next()).rejects.toThrow('unreadable');
      expect(await watcher.next()).toEqual({ done: true, value: undefined });
    }
    expect(hub.watcherCount).toBe(0);
  });
});
