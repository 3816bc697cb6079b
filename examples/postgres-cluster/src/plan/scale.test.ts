import { describe, expect, it } from 'vitest';
import type { ObservedCluster } from './observed-cluster.ts';
import { scale } from './scale.ts';
import { cluster, detached, primary, replica, silent, stopped } from './testdata/observed.ts';

const free = { isExpired: false };
const unset = { targetPrimary: undefined, currentPrimary: undefined, lastInstance: 0, lease: free };
const creates = (name: string) => ({ do: 'create', name });
const starts = (name: string) => ({ do: 'start', name });
const removes = (name: string, why: string) => ({ do: 'remove', name, why });

type Row = [what: string, observed: Partial<ObservedCluster>, steps: readonly object[]];
const rows: Row[] = [
  ['all instances exist', {}, []],
  ['a new cluster starts with one instance', { ...unset, targetPrimary: 'shop-1', members: [] }, [creates('shop-1')]],
  [
    'replicas wait for the first primary',
    { currentPrimary: undefined, lastInstance: 1, members: [silent('shop-1')] },
    [],
  ],
  [
    'replicas are created once the primary works',
    { lastInstance: 1, members: [primary('shop-1')] },
    [creates('shop-2'), creates('shop-3')],
  ],
  [
    'replicas are created although the archive fails',
    {
      lastInstance: 1,
      instances: 2,
      members: [primary('shop-1', { report: { archive: { lastFailed: '000000010000000000000001' } } })],
    },
    [creates('shop-2')],
  ],
  [
    'a number is never used again',
    { lastInstance: 7, members: [primary('shop-1'), replica('shop-4')] },
    [creates('shop-8')],
  ],
  [
    'the replica with the highest number is removed first, one at a time',
    { instances: 1 },
    [removes('shop-3', 'spec.instances is 1')],
  ],
  [
    'the primary is not removed',
    {
      instances: 1,
      targetPrimary: 'shop-3',
      currentPrimary: 'shop-3',
      members: [replica('shop-1'), replica('shop-2'), primary('shop-3')],
    },
    [removes('shop-2', 'spec.instances is 1')],
  ],
  ['nothing is removed in an election', { instances: 1, targetPrimary: '' }, []],
  [
    'nothing is removed while the primary does not work',
    { instances: 2, members: [stopped('shop-1'), replica('shop-2'), replica('shop-3')] },
    [],
  ],
  [
    'a pod that is gone is created again',
    { members: [primary('shop-1'), silent('shop-2', { pod: null }), replica('shop-3')] },
    [starts('shop-2')],
  ],
  [
    'the pod of a failed primary is created again',
    { targetPrimary: '', members: [silent('shop-1', { pod: null }), detached('shop-2'), detached('shop-3')] },
    [starts('shop-1')],
  ],
  [
    'an evicted pod is deleted first',
    { members: [primary('shop-1'), silent('shop-2', { pod: { hasEnded: true } }), replica('shop-3')] },
    [{ do: 'stop', name: 'shop-2', why: 'its pod has ended' }],
  ],
  [
    'a replica without its volume is replaced by a new one',
    { members: [primary('shop-1'), silent('shop-2', { claim: { isLost: true } }), replica('shop-3')] },
    [removes('shop-2', 'its volume is gone'), creates('shop-4')],
  ],
  [
    'a primary without its volume stays until another is appointed',
    { members: [silent('shop-1', { claim: { isLost: true } }), replica('shop-2'), replica('shop-3')] },
    [],
  ],
  [
    'a former primary without its volume is replaced',
    {
      targetPrimary: 'shop-2',
      currentPrimary: 'shop-2',
      members: [silent('shop-1', { claim: { isLost: true } }), primary('shop-2'), replica('shop-3')],
    },
    [removes('shop-1', 'its volume is gone'), creates('shop-4')],
  ],
  ['no empty primary replaces volumes that are all gone', { members: [] }, []],
  [
    'a hibernated cluster keeps only its volumes',
    { isHibernated: true, members: [stopped('shop-1'), replica('shop-2'), silent('shop-3', { pod: null })] },
    [{ do: 'stop', name: 'shop-1', why: 'the cluster is hibernated' }],
  ],
  [
    'a cluster that wakes up starts all instances',
    { lease: free, members: ['shop-1', 'shop-2', 'shop-3'].map((name) => silent(name, { pod: null })) },
    [starts('shop-1'), starts('shop-2'), starts('shop-3')],
  ],
];

describe('scale', () => {
  it.each(rows)('%s', (_, observed, steps) => {
    expect(scale(cluster(observed))).toEqual(steps);
  });

  it('never removes the current or the target primary', () => {
    const states = [primary, replica, stopped, silent];
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
