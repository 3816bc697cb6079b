import { sleep, VirtualClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { ResourceMonitor } from './resource-monitor.ts';

describe('ResourceMonitor', () => {
  it('counts as synced only once listing has failed for 30 seconds', async () => {
    const clock = new VirtualClock();
    const list = () => Promise.reject(new Error('service unavailable'));
    // The monitor calls no other method.
    const client = { metadata: () => ({ list }) } as unknown as KubernetesClient;
    const kind = {
      group: 'wells.example.com',
      version: 'v1',
      kind: 'Well',
      plural: 'wells',
      scope: 'Namespaced',
    } as const;
    const sink = { observe: () => expect.unreachable(), remove: () => expect.unreachable() };
    const monitor = new ResourceMonitor({ kind, client, clock, log: silentLogger, sink });
    monitor.start();
    await clock.advance(29_999);
    expect(monitor.hasSynced).toBe(false);
    await clock.advance(1);
    expect(monitor.hasSynced).toBe(true);
    await monitor.stop();
  });

  it('takes over the objects of the monitor that it replaces, and removes objects that were deleted in the meantime', async () => {
    const clock = new VirtualClock();
    const removed: string[] = [];
    const sink = { observe: () => {}, remove: (uid: string) => void removed.push(uid) };
    const monitorOf = (version: string, uids: readonly string[]) => {
      const items = uids.map((uid) => ({ metadata: { uid } }));
      const list = () => Promise.resolve({ items, metadata: { resourceVersion: '1' } });
      const watch = ({ signal }: { readonly signal: AbortSignal }) => ({
        [Symbol.asyncIterator]: () => ({ next: () => sleep(clock, { ms: 60_000, signal }) }),
      });
      // The monitor calls no other methods.
      const client = { metadata: () => ({ list, watch }) } as unknown as KubernetesClient;
      const kind = { group: 'a.io', version, kind: 'Well', plural: 'wells', scope: 'Namespaced' } as const;
      return new ResourceMonitor({ kind, client, clock, log: silentLogger, sink });
    };
    const old = monitorOf('v1', ['kept', 'deleted']);
    old.start();
    await clock.advance(1);
    expect(old.hasSynced).toBe(true);
    const monitor = monitorOf('v2', ['kept', 'created']);
    monitor.start(old);
    await clock.advance(1);
    expect(removed).toEqual(['deleted']);
    expect([...(await monitor.stop())].sort()).toEqual(['created', 'kept']);
  });
});
