import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requesting, testNode, testPod } from '../testdata/test-view.ts';
import { type PodInfo, podInfo } from './pod-info.ts';
import { SchedulerCache } from './scheduler-cache.ts';

const apps = ['web', 'db'];
const group = (app: string) => ({
  key: app,
  namespaces: new Set(['d']),
  matches: ({ labels }: PodInfo) => labels['app'] === app,
});

describe('SchedulerCache', () => {
  it('always equals a new cache built from the remaining pods', () => {
    const step = fc.record({
      what: fc.constantFrom('put', 'assume', 'forget', 'remove'),
      pod: fc.nat(5),
      node: fc.nat(2),
      app: fc.constantFrom(...apps),
      cpu: fc.constantFrom('100m', '1', '1500m'),
    });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const cache = cacheOf([]);
        const left = new Map<string, PodInfo>();
        const assumed = new Set<string>();
        for (const { what, pod, node, app, cpu } of steps) {
          const spec = { ...requesting({ cpu }), nodeName: `n${node}` };
          const info = podInfo(testPod(`p${pod}`, { labels: { app }, spec }));
          if (what === 'put' || what === 'assume') {
            if (what === 'put') cache.putPod(info);
            else cache.assume(info);
            left.set(info.uid, info);
            if (what === 'put') assumed.delete(info.uid);
            else assumed.add(info.uid);
          } else if (what === 'remove' || assumed.has(info.uid)) {
            if (what === 'remove') cache.removePod(info.uid);
            else cache.forget(info.uid);
            left.delete(info.uid);
            assumed.delete(info.uid);
          } else cache.forget(info.uid);
          expect(summary(cache)).toEqual(summary(cacheOf([...left.values()])));
        }
      }),
    );
  });

  it('alternates between zones', () => {
    const cache = new SchedulerCache();
    const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } });
    for (const [name, at] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
    ] as const)
      cache.putNode(testNode(name, zone(at)));
    expect(cache.nodes.map(({ name }) => name)).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('keeps the pods of a node that is deleted and recreated', () => {
    const cache = cacheOf([podInfo(testPod('p', { spec: { ...requesting({ cpu: '1' }), nodeName: 'n0' } }))]);
    cache.removeNode('n0');
    expect(cache.nodes.map(({ name }) => name)).toEqual(['n1', 'n2']);
    cache.putNode(testNode('n0'));
    expect(cache.node('n0')?.requested.milliCpu).toBe(1_000);
  });
});

function cacheOf(pods: readonly PodInfo[]): SchedulerCache {
  const cache = new SchedulerCache();
  for (let i = 0; i < 3; i++) cache.putNode(testNode(`n${i}`));
  // Count before the pods are added, so that each pod adjusts the counts.
  for (const app of apps) cache.counts.byNode(group(app));
  for (const pod of pods) cache.putPod(pod);
  return cache;
}

function summary(cache: SchedulerCache): object {
  const nodes = cache.nodes.map(({ name, requested, nonZeroMilliCpu, pods, lowestPriority }) => {
    return { name, cpu: requested.milliCpu, nonZeroMilliCpu, pods: [...pods.keys()].sort(), lowestPriority };
  });
  const counts = apps.map((app) => [...cache.counts.byNode(group(app))].sort());
  return { nodes, counts };
}
