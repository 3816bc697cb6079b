import { VirtualClock } from '@kubewright/apimachinery';
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
    await monitor.stop({ forget: false });
  });
});
