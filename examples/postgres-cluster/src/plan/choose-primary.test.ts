import { describe, expect, it } from 'vitest';
import { choosePrimary } from './choose-primary.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { cluster, dead, detached, primary, quorum, replica, silent, stopped } from './testdata/observed.ts';

const free = { isExpired: false };
const expired = { holder: 'shop-1', isExpired: true };
const restarting = { report: { pendingRestart: true } };
const keeps = { do: 'keep' };
const stops = (phase: string, why: string) => ({ do: 'stop', phase, why });
const waits = (phase: string, why: string) => ({ do: 'wait', phase, why });
const appoints = (name: string) => expect.objectContaining({ do: 'appoint', name });

type Row = [what: string, observed: Partial<ObservedCluster>, decision: object];

const unset = { targetPrimary: undefined, currentPrimary: undefined, timeline: undefined };
const setup: Row[] = [
  [
    'a new cluster',
    { ...unset, members: [], lease: free },
    { do: 'appoint', name: 'shop-1', phase: 'Setting up primary', why: 'the cluster is new' },
  ],
  [
    'volumes of a deleted cluster',
    { ...unset, members: [silent('shop-2', { pod: null })], lease: free },
    stops('Setting up primary', 'volumes of an earlier cluster of this name exist'),
  ],
  [
    'the first primary starts',
    { currentPrimary: undefined, members: [silent('shop-1')], lease: free },
    waits('Setting up primary', 'shop-1: it cannot be reached'),
  ],
  [
    'the first primary fails, and nothing can replace it',
    {
      currentPrimary: undefined,
      members: [stopped('shop-1', { report: { state: 'failed', message: 'initdb failed' } })],
      lease: free,
    },
    waits('Setting up primary', 'shop-1: initdb failed'),
  ],
  [
    'the first primary fails, and a user forces another one',
    {
      currentPrimary: undefined,
      members: [stopped('shop-1', { report: { state: 'failed', message: 'no data' } }), stopped('shop-2')],
      lease: free,
      forcedPrimary: 'shop-2',
    },
    stops('Failing over', 'shop-1 cannot become the primary: no data'),
  ],
];

const starting = (why: string) => ({
  do: 'keep',
  phase: 'Primary unavailable',
  why: `shop-1 is no longer the primary: ${why}; waiting 60 s for it to recover`,
  isFailing: true,
});
const uncertain: Partial<ObservedCluster> = { quorums: [quorum(1)] };
const refusal = 'shop-3 is missing, and commits needed only 1 of shop-2, shop-3: any choice could lose commits';
const unavailable = (why: string) => ({
  do: 'keep',
  phase: 'Primary unavailable',
  why: `shop-1 is no longer the primary: ${why}; ${refusal}`,
  isFailing: true,
});
const steady: Row[] = [
  ['all instances work', {}, keeps],
  [
    'the operator cannot reach a primary that renews the Lease',
    { members: [silent('shop-1'), replica('shop-2'), replica('shop-3')] },
    keeps,
  ],
  [
    'the server of the primary dies',
    { members: [dead('shop-1', { report: { message: 'the server died' } }), replica('shop-2')], lease: free },
    stops('Failing over', 'shop-1 is no longer the primary: the server died'),
  ],
  [
    'the node of the primary is silent',
    { members: [silent('shop-1'), replica('shop-2')], lease: expired },
    stops('Failing over', 'shop-1 is no longer the primary: it cannot be reached'),
  ],
  [
    'the pod of the primary was deleted',
    { members: [silent('shop-1', { pod: null }), replica('shop-2')], lease: free },
    stops('Failing over', 'shop-1 is no longer the primary: its pod is gone'),
  ],
  [
    'the volume of the primary is gone',
    { members: [silent('shop-1', { pod: null, claim: { isLost: true } }), replica('shop-2')] },
    stops('Failing over', 'shop-1 is no longer the primary: its volume is gone'),
  ],
  [
    'the cluster wakes up, and a replica starts before the primary',
    { members: [silent('shop-1', { pod: { createdMs: 950_000 } }), detached('shop-2')], lease: free },
    starting('it cannot be reached'),
  ],
  [
    'the primary is no longer fenced, and about to start',
    { members: [stopped('shop-1'), detached('shop-2')], lease: free, failingSinceMs: 950_000 },
    starting('it lost the Lease'),
  ],
  [
    'a primary does not start',
    { members: [stopped('shop-1'), detached('shop-2')], lease: free, failingSinceMs: 940_000 },
    stops('Failing over', 'shop-1 is no longer the primary: it lost the Lease'),
  ],
  [
    'the server of a new primary dies',
    {
      members: [dead('shop-1', { pod: { createdMs: 950_000 } }), replica('shop-2')],
      lease: free,
    },
    stops('Failing over', 'shop-1 is no longer the primary: it lost the Lease'),
  ],
  [
    'the primary fails, and has time to recover',
    {
      members: [dead('shop-1'), replica('shop-2')],
      lease: free,
      failoverDelaySeconds: 10,
      failingSinceMs: 991_000,
    },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: it lost the Lease; waiting 10 s for it to recover',
      isFailing: true,
    },
  ],
  [
    'the time to recover is over',
    {
      members: [dead('shop-1'), replica('shop-2')],
      lease: free,
      failoverDelaySeconds: 10,
      failingSinceMs: 990_000,
    },
    stops('Failing over', 'shop-1 is no longer the primary: it lost the Lease'),
  ],
  [
    'the primary fails, and no replica runs',
    { members: [dead('shop-1'), silent('shop-2')], lease: free },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: it lost the Lease; no replica can take over',
      isFailing: true,
    },
  ],
  [
    'the primary fails, and the only reachable replica may lack commits',
    { ...uncertain, members: [dead('shop-1'), replica('shop-2'), silent('shop-3')], lease: free },
    unavailable('it lost the Lease'),
  ],
  [
    'the volume of the primary is being deleted, and the only reachable replica may lack commits',
    {
      ...uncertain,
      members: [primary('shop-1', { claim: { isDeleting: true } }), replica('shop-2'), silent('shop-3')],
    },
    unavailable('its volume is gone'),
  ],
  [
    'the volume of the primary is being deleted, and both replicas are here',
    {
      ...uncertain,
      members: [primary('shop-1', { claim: { isDeleting: true } }), replica('shop-2'), replica('shop-3')],
    },
    stops('Failing over', 'shop-1 is no longer the primary: its volume is gone'),
  ],
  [
    'the primary fails, and no replica has reached its timeline',
    { members: [dead('shop-1'), replica('shop-2')], lease: free, timeline: 2 },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: it lost the Lease; no replica has reached timeline 2, on which commits were acknowledged',
      isFailing: true,
    },
  ],
  [
    'the disk of the primary is full',
    { members: [dead('shop-1', { report: { isDiskFull: true } }), replica('shop-2')], lease: free },
    { do: 'keep', phase: 'Not enough disk space', why: 'the volume of shop-1 is full; increase storage.size' },
  ],
  [
    'the primary is fenced',
    { members: [dead('shop-1'), replica('shop-2')], lease: free, fenced: ['shop-1'] },
    { do: 'keep', phase: 'Fenced', why: 'shop-1 is the primary and is fenced' },
  ],
  [
    'the cluster is hibernated',
    { members: [dead('shop-1'), stopped('shop-2')], lease: free, isHibernated: true },
    { do: 'keep', phase: 'Hibernated' },
  ],
  [
    'a former primary came back while the new one runs',
    { members: [primary('shop-1'), primary('shop-2')] },
    waits('Failing over', 'shop-1 and shop-2 are both primaries; waiting for one to stop'),
  ],
];

const switching = (why: string) => stops('Switchover in progress', why);
const delayed = (why: string) => ({ do: 'keep', phase: 'Switchover delayed', why: `${why}; ${refusal}` });
const switchovers: Row[] = [
  ['a replica is requested', { requestedPrimary: 'shop-3' }, switching('shop-3 was requested as the primary')],
  ['the primary is requested', { requestedPrimary: 'shop-1' }, keeps],
  [
    'a replica is requested that does not stream',
    { requestedPrimary: 'shop-3', members: [primary('shop-1'), replica('shop-2'), detached('shop-3')] },
    keeps,
  ],
  [
    'the node of the primary is drained',
    { members: [primary('shop-1', { pod: { isOnCordonedNode: true } }), replica('shop-2')] },
    switching('the node of shop-1 is being drained'),
  ],
  [
    'all nodes are drained',
    {
      members: [
        primary('shop-1', { pod: { isOnCordonedNode: true } }),
        replica('shop-2', { pod: { isOnCordonedNode: true } }),
      ],
    },
    keeps,
  ],
  [
    'the pod of the primary is deleted',
    { members: [primary('shop-1', { pod: { isDeleting: true } }), replica('shop-2')] },
    switching('the pod of shop-1 is being deleted'),
  ],
  [
    'the primary needs a restart, and replicas do not',
    { members: [primary('shop-1', restarting), replica('shop-2')] },
    switching('shop-1 needs a restart'),
  ],
  [
    'the primary needs a restart, and a replica too',
    { members: [primary('shop-1', restarting), replica('shop-2', restarting)] },
    keeps,
  ],
  [
    'the primary needs a restart, and a user decides',
    { members: [primary('shop-1', restarting), replica('shop-2')], updates: 'supervised' },
    keeps,
  ],
  [
    'a single instance cannot switch over',
    { members: [primary('shop-1', { pod: { isOnCordonedNode: true } })], requestedPrimary: 'shop-2' },
    keeps,
  ],
  [
    'a replica is requested in a cluster of two with synchronous replication',
    {
      instances: 2,
      quorums: [quorum(1, ['shop-2'])],
      members: [primary('shop-1'), replica('shop-2')],
      requestedPrimary: 'shop-2',
    },
    switching('shop-2 was requested as the primary'),
  ],
  [
    'a replica is requested, and another is silent',
    {
      ...uncertain,
      members: [primary('shop-1'), replica('shop-2'), silent('shop-3')],
      requestedPrimary: 'shop-2',
    },
    delayed('shop-2 was requested as the primary'),
  ],
  [
    'the node of the primary is drained, and a replica is silent',
    {
      ...uncertain,
      members: [primary('shop-1', { pod: { isOnCordonedNode: true } }), replica('shop-2'), silent('shop-3')],
    },
    delayed('the node of shop-1 is being drained'),
  ],
  [
    'the pod of the primary is deleted, and a replica is silent',
    { ...uncertain, members: [primary('shop-1', { pod: { isDeleting: true } }), replica('shop-2'), silent('shop-3')] },
    delayed('the pod of shop-1 is being deleted'),
  ],
  [
    'the primary may recover, but a user forces a replica',
    { members: [silent('shop-1'), replica('shop-2')], lease: free, failoverDelaySeconds: 30, forcedPrimary: 'shop-2' },
    stops('Failing over', 'shop-1 is no longer the primary: it cannot be reached'),
  ],
  [
    'a replica is silent, but commits only prefer replicas',
    {
      members: [primary('shop-1'), replica('shop-2'), silent('shop-3')],
      requestedPrimary: 'shop-2',
    },
    switching('shop-2 was requested as the primary'),
  ],
];

const elections: Row[] = [
  [
    'the primary still runs',
    { members: [primary('shop-1'), replica('shop-2')] },
    waits('Failing over', 'waiting for shop-1 to stop'),
  ],
  [
    'the old primary is silent and its Lease is valid',
    { members: [silent('shop-1'), detached('shop-2')] },
    waits('Failing over', 'waiting for the Lease that shop-1 holds'),
  ],
  [
    'a replica still receives WAL',
    { members: [stopped('shop-1'), detached('shop-2'), replica('shop-3')], lease: free },
    waits('Failing over', 'waiting for shop-3 to stop receiving WAL'),
  ],
  [
    'everything has stopped',
    { members: [stopped('shop-1'), detached('shop-2'), detached('shop-3')], lease: free },
    { do: 'appoint', name: 'shop-2', phase: 'Promoting primary', why: 'shop-2 has the most WAL' },
  ],
  [
    'the Lease has expired',
    { members: [silent('shop-1'), detached('shop-2'), detached('shop-3')], lease: expired },
    appoints('shop-2'),
  ],
  [
    'too few replicas are left to be sure',
    { members: [silent('shop-1'), detached('shop-2'), silent('shop-3')], lease: expired, ...uncertain },
    waits('Failing over', refusal),
  ],
  [
    'too few replicas are left to be sure, and the old primary is back',
    { members: [stopped('shop-1'), detached('shop-2'), silent('shop-3')], lease: free, ...uncertain },
    appoints('shop-1'),
  ],
  [
    'too few replicas are left to be sure, and a user forces one of them',
    {
      members: [silent('shop-1'), detached('shop-2'), silent('shop-3')],
      lease: expired,
      ...uncertain,
      forcedPrimary: 'shop-2',
    },
    {
      do: 'appoint',
      name: 'shop-2',
      phase: 'Promoting primary',
      why: 'a user forced it, accepting the loss of commits that it lacks',
    },
  ],
  [
    'volumes of an earlier cluster have not been read yet',
    { ...unset, targetPrimary: '', members: [stopped('shop-1'), silent('shop-2')], lease: free },
    waits('Setting up primary', 'waiting for the data of shop-1, shop-2'),
  ],
  [
    'the volume of an earlier primary',
    {
      ...unset,
      targetPrimary: '',
      members: [stopped('shop-1', { report: { data: 'primary' } }), stopped('shop-2', { report: { data: 'empty' } })],
      lease: free,
    },
    appoints('shop-1'),
  ],
  [
    'no replica is left, and the old primary cannot start',
    { members: [stopped('shop-1', { report: { state: 'failed' } }), silent('shop-2')], lease: free },
    waits('Failing over', 'no replica can be promoted'),
  ],
];

const promoting = { targetPrimary: 'shop-2', currentPrimary: 'shop-1', lease: free };
const promotions: Row[] = [
  [
    'the instance promotes its server',
    { ...promoting, members: [stopped('shop-1'), detached('shop-2', { report: { message: 'promoting' } })] },
    waits('Promoting primary', 'promoting'),
  ],
  [
    'the instance fails',
    {
      ...promoting,
      members: [stopped('shop-1'), stopped('shop-2', { report: { state: 'failed', message: 'no space' } })],
    },
    stops('Failing over', 'shop-2 cannot become the primary: no space'),
  ],
  [
    'the instance is silent',
    { ...promoting, members: [stopped('shop-1'), silent('shop-2')] },
    stops('Failing over', 'shop-2 cannot become the primary: it cannot be reached'),
  ],
  [
    'the instance has been silent for a moment',
    { ...promoting, members: [stopped('shop-1'), silent('shop-2')], targetSinceMs: 991_000 },
    waits('Promoting primary', 'waiting for shop-2'),
  ],
  [
    'the instance is silent, but holds the Lease, so it may have been promoted',
    { ...promoting, members: [stopped('shop-1'), silent('shop-2')], lease: { holder: 'shop-2', isExpired: false } },
    waits('Promoting primary', 'shop-2: it cannot be reached'),
  ],
  [
    'the pod of the instance is gone',
    { ...promoting, members: [stopped('shop-1'), silent('shop-2', { pod: null })] },
    stops('Failing over', 'shop-2 cannot become the primary: its pod is gone'),
  ],
];

describe.each([
  ['in a new cluster', {}, setup],
  ['while a primary is appointed', {}, steady],
  ['for a switchover', {}, switchovers],
  ['in an election', { targetPrimary: '' }, elections],
  ['during a promotion', {}, promotions],
])('choosePrimary %s', (_, base, rows) => {
  it.each(rows)('%s', (__, observed, decision) => {
    expect(choosePrimary(cluster({ ...base, ...observed }))).toEqual(decision);
  });
});

describe('choosePrimary', () => {
  it('appoints no instance while another instance may write or sends WAL', () => {
    const leases = [free, expired, { holder: 'shop-1', isExpired: false }, { holder: 'shop-3', isExpired: false }];
    const states = [primary, replica, detached, stopped, silent];
    for (const lease of leases)
      for (const one of states)
        for (const two of states)
          for (const three of states) {
            const members = [one('shop-1'), two('shop-2'), three('shop-3')];
            const decision = choosePrimary(cluster({ targetPrimary: '', lease, members }));
            if (decision.do !== 'appoint') continue;
            expect(lease.isExpired || !('holder' in lease)).toBe(true);
            expect(members.filter(({ report }) => report?.isPrimary || report?.isReceiving)).toEqual([]);
          }
  });
});
