import { describe, expect, it } from 'vitest';
import type { ObservedCluster } from './observed-cluster.ts';
import { scale } from './scale.ts';
import { cluster, detached, primary, replica, stopped, unreachable } from './testdata/observed.ts';

const free = { isExpired: false };
const unset = { targetPrimary: undefined, currentPrimary: undefined, lastInstance: 0, lease: free };
const creates = (name: string) => ({ do: 'create', name });
const starts = (name: string) => ({ do: 'start', name });
const removes = (name: string, why: string) => ({ do: 'remove', name, why });

type Row = [what: string, observed: Partial<ObservedCluster>, steps: readonly object[]];
const rows: Row[] = [
  ['does nothing if all instances exist', {}, []],
  ['creates one instance in a new cluster', { ...unset, targetPrimary: 'shop-1', members: [] }, [creates('shop-1')]],
  [
    'creates no replicas until the first primary works',
    { currentPrimary: undefined, lastInstance: 1, members: [unreachable('shop-1')] },
    [],
  ],
  [
    'creates replicas once the primary works',
    { lastInstance: 1, members: [primary('shop-1')] },
    [creates('shop-2'), creates('shop-3')],
  ],
  [
    'creates replicas even if archiving fails',
    {
      lastInstance: 1,
      instances: 2,
      members: [primary('shop-1', { report: { archive: { lastFailed: '000000010000000000000001' } } })],
    },
    [creates('shop-2')],
  ],
  [
    'never reuses an instance number',
    { lastInstance: 7, members: [primary('shop-1'), replica('shop-4')] },
    [creates('shop-8')],
  ],
  [
    'removes one replica at a time, the highest number first',
    { instances: 1 },
    [removes('shop-3', 'spec.instances is 1')],
  ],
  [
    'does not remove the primary',
    {
      instances: 1,
      targetPrimary: 'shop-3',
      currentPrimary: 'shop-3',
      members: [replica('shop-1'), replica('shop-2'), primary('shop-3')],
    },
    [removes('shop-2', 'spec.instances is 1')],
  ],
  ['removes nothing during an election', { instances: 1, targetPrimary: '' }, []],
  [
    'removes nothing while the primary does not work',
    { instances: 2, members: [stopped('shop-1'), replica('shop-2'), replica('shop-3')] },
    [],
  ],
  [
    'recreates a pod that is gone',
    { members: [primary('shop-1'), unreachable('shop-2', { pod: null }), replica('shop-3')] },
    [starts('shop-2')],
  ],
  [
    'recreates the pod of a failed primary',
    { targetPrimary: '', members: [unreachable('shop-1', { pod: null }), detached('shop-2'), detached('shop-3')] },
    [starts('shop-1')],
  ],
  [
    'deletes an evicted pod before it recreates the pod',
    { members: [primary('shop-1'), unreachable('shop-2', { pod: { hasEnded: true } }), replica('shop-3')] },
    [{ do: 'stop', name: 'shop-2', why: 'the pod has terminated' }],
  ],
  [
    'replaces a replica whose volume is gone',
    { members: [primary('shop-1'), unreachable('shop-2', { claim: { isLost: true } }), replica('shop-3')] },
    [removes('shop-2', 'the volume is gone'), creates('shop-4')],
  ],
  [
    'keeps a primary whose volume is gone until another primary is appointed',
    { members: [unreachable('shop-1', { claim: { isLost: true } }), replica('shop-2'), replica('shop-3')] },
    [],
  ],
  [
    'replaces a former primary whose volume is gone',
    {
      targetPrimary: 'shop-2',
      currentPrimary: 'shop-2',
      members: [unreachable('shop-1', { claim: { isLost: true } }), primary('shop-2'), replica('shop-3')],
    },
    [removes('shop-1', 'the volume is gone'), creates('shop-4')],
  ],
  ['creates no empty primary if all volumes are gone', { members: [] }, []],
  [
    'deletes the pods of stopped servers while the cluster is hibernated',
    { isHibernated: true, members: [stopped('shop-1'), replica('shop-2'), unreachable('shop-3', { pod: null })] },
    [{ do: 'stop', name: 'shop-1', why: 'the cluster is hibernated' }],
  ],
  [
    'recreates the pods of all instances after hibernation',
    { lease: free, members: ['shop-1', 'shop-2', 'shop-3'].map((name) => unreachable(name, { pod: null })) },
    [starts('shop-1'), starts('shop-2'), starts('shop-3')],
  ],
];

describe('scale', () => {
  it.each(rows)('%s', (_, observed, steps) => {
    expect(scale(cluster(observed))).toEqual(steps);
  });

  it('never removes the current or the target primary', () => {
    const states = [primary, replica, stopped, unreachable];
    for (const target of ['', 'shop-1', 'shop-2'])
      for (const one of states)
        for (const two of states)
          for (const isLost of [false, true]) {
            const members = [one('shop-1', { claim: { isLost } }), two('shop-2', { claim: { isLost } })];
            const steps = scale(cluster({ instances: 1, targetPrimary: target, members }));
            const removed = steps.flatMap((step) => (step.do === 'remove' ? [step.name] : []));
            expect(removed).not.toContain('shop-1');
            if (target !== '') expect(removed).not.toContain(target);
          }
  });
});
