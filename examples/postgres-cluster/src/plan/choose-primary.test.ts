import { describe, expect, it } from 'vitest';
import { choosePrimary } from './choose-primary.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { cluster, dead, detached, primary, quorum, replica, stopped, unreachable } from './testdata/observed.ts';

const free = { isExpired: false };
const expired = { holder: 'shop-1', isExpired: true };
const restarting = { report: { pendingRestart: true } };
const keeps = { do: 'keep' };
const stops = (phase: string, why: string) => ({ do: 'stop', phase, why });
const waits = (phase: string, why: string) => ({ do: 'wait', phase, why });
const appoints = (name: string) => expect.objectContaining({ do: 'appoint', name });

type Row = [what: string, observed: Partial<ObservedCluster>, decision: object];

const noPrimary = { targetPrimary: undefined, currentPrimary: undefined, timeline: undefined };
const setup: Row[] = [
  [
    'appoints instance 1 if no volumes exist',
    { ...noPrimary, members: [], lease: free },
    { do: 'appoint', name: 'shop-1', phase: 'Setting up primary', why: 'the cluster is new' },
  ],
  [
    'starts an election if volumes of an earlier cluster exist',
    { ...noPrimary, members: [unreachable('shop-2', { pod: null })], lease: free },
    stops('Setting up primary', 'volumes of an earlier cluster with this name exist'),
  ],
  [
    'waits while the first primary starts',
    { currentPrimary: undefined, members: [unreachable('shop-1')], lease: free },
    waits('Setting up primary', 'shop-1: the instance cannot be reached'),
  ],
  [
    'waits if the first primary fails',
    {
      currentPrimary: undefined,
      members: [stopped('shop-1', { report: { state: 'failed', message: 'initdb failed' } })],
      lease: free,
    },
    waits('Setting up primary', 'shop-1: initdb failed'),
  ],
  [
    'stops a failed first primary if the user forces another instance',
    {
      currentPrimary: undefined,
      members: [stopped('shop-1', { report: { state: 'failed', message: 'no data' } }), stopped('shop-2')],
      lease: free,
      forcedPrimary: 'shop-2',
    },
    stops('Failing over', 'shop-1 cannot become the primary: no data'),
  ],
];

const waitsForRestart = (why: string) => ({
  do: 'keep',
  phase: 'Primary unavailable',
  why: `shop-1 is no longer the primary: ${why}; waiting up to 60 s for shop-1 to recover`,
  isFailing: true,
});
const oneOfTwo: Partial<ObservedCluster> = { quorums: [quorum(1)] };
const commitLoss =
  'shop-3 is unavailable and may have commits that no other replica has, because only 1 of shop-2, shop-3 had to confirm each commit; bring it back, or force a promotion if the primary is lost';
const keepsUnavailable = (why: string) => ({
  do: 'keep',
  phase: 'Primary unavailable',
  why: `shop-1 is no longer the primary: ${why}; ${commitLoss}`,
  isFailing: true,
});
const steady: Row[] = [
  ['keeps the primary while all instances work', {}, keeps],
  [
    'keeps a primary that renews the Lease even if the operator cannot reach it',
    { members: [unreachable('shop-1'), replica('shop-2'), replica('shop-3')] },
    keeps,
  ],
  [
    "fails over if the primary's server dies",
    { members: [dead('shop-1', { report: { message: 'the server died' } }), replica('shop-2')], lease: free },
    stops('Failing over', 'shop-1 is no longer the primary: the server died'),
  ],
  [
    'fails over if the primary cannot be reached and its Lease has expired',
    { members: [unreachable('shop-1'), replica('shop-2')], lease: expired },
    stops('Failing over', 'shop-1 is no longer the primary: the instance cannot be reached'),
  ],
  [
    "fails over if the primary's pod is gone and the Lease is free",
    { members: [unreachable('shop-1', { pod: null }), replica('shop-2')], lease: free },
    stops('Failing over', 'shop-1 is no longer the primary: the pod is gone'),
  ],
  [
    "fails over if the primary's volume is gone",
    { members: [unreachable('shop-1', { pod: null, claim: { isLost: true } }), replica('shop-2')] },
    stops('Failing over', 'shop-1 is no longer the primary: the volume is gone'),
  ],
  [
    'waits 60 s for the primary if a replica starts first after hibernation',
    { members: [unreachable('shop-1', { pod: { createdMs: 950_000 } }), detached('shop-2')], lease: free },
    waitsForRestart('the instance cannot be reached'),
  ],
  [
    'waits 60 s for a stopped primary to restart, for example after fencing',
    { members: [stopped('shop-1'), detached('shop-2')], lease: free, failingSinceMs: 950_000 },
    waitsForRestart('the instance lost the Lease'),
  ],
  [
    'fails over if a stopped primary does not restart within 60 s',
    { members: [stopped('shop-1'), detached('shop-2')], lease: free, failingSinceMs: 940_000 },
    stops('Failing over', 'shop-1 is no longer the primary: the instance lost the Lease'),
  ],
  [
    'fails over immediately if the server dies, even if the pod is new',
    {
      members: [dead('shop-1', { pod: { createdMs: 950_000 } }), replica('shop-2')],
      lease: free,
    },
    stops('Failing over', 'shop-1 is no longer the primary: the instance lost the Lease'),
  ],
  [
    'keeps a failed primary during spec.failoverDelaySeconds',
    {
      members: [dead('shop-1'), replica('shop-2')],
      lease: free,
      failoverDelaySeconds: 10,
      failingSinceMs: 991_000,
    },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: the instance lost the Lease; waiting up to 10 s for shop-1 to recover',
      isFailing: true,
    },
  ],
  [
    'fails over after spec.failoverDelaySeconds',
    {
      members: [dead('shop-1'), replica('shop-2')],
      lease: free,
      failoverDelaySeconds: 10,
      failingSinceMs: 990_000,
    },
    stops('Failing over', 'shop-1 is no longer the primary: the instance lost the Lease'),
  ],
  [
    'keeps a failed primary if no replica runs',
    { members: [dead('shop-1'), unreachable('shop-2')], lease: free },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: the instance lost the Lease; no replica can take over',
      isFailing: true,
    },
  ],
  [
    'keeps a failed primary if the only reachable replica may lack commits',
    { ...oneOfTwo, members: [dead('shop-1'), replica('shop-2'), unreachable('shop-3')], lease: free },
    keepsUnavailable('the instance lost the Lease'),
  ],
  [
    'keeps a primary whose volume is being deleted if the only reachable replica may lack commits',
    {
      ...oneOfTwo,
      members: [primary('shop-1', { claim: { isDeleting: true } }), replica('shop-2'), unreachable('shop-3')],
    },
    keepsUnavailable('the volume is gone'),
  ],
  [
    "fails over if the primary's volume is being deleted and both replicas can be reached",
    {
      ...oneOfTwo,
      members: [primary('shop-1', { claim: { isDeleting: true } }), replica('shop-2'), replica('shop-3')],
    },
    stops('Failing over', 'shop-1 is no longer the primary: the volume is gone'),
  ],
  [
    'keeps a failed primary if no replica has reached its timeline',
    { members: [dead('shop-1'), replica('shop-2')], lease: free, timeline: 2 },
    {
      do: 'keep',
      phase: 'Primary unavailable',
      why: 'shop-1 is no longer the primary: the instance lost the Lease; no replica has reached timeline 2, on which commits were acknowledged',
      isFailing: true,
    },
  ],
  [
    'keeps a primary whose disk is full',
    { members: [dead('shop-1', { report: { isDiskFull: true } }), replica('shop-2')], lease: free },
    { do: 'keep', phase: 'Not enough disk space', why: 'the volume of shop-1 is full; increase spec.storage.size' },
  ],
  [
    'keeps a fenced primary',
    { members: [dead('shop-1'), replica('shop-2')], lease: free, fenced: ['shop-1'] },
    { do: 'keep', phase: 'Fenced', why: 'shop-1 is the primary and is fenced' },
  ],
  [
    'keeps the primary of a hibernated cluster',
    { members: [dead('shop-1'), stopped('shop-2')], lease: free, isHibernated: true },
    { do: 'keep', phase: 'Hibernated' },
  ],
  [
    'waits while a former primary and the new primary both run',
    { members: [primary('shop-1'), primary('shop-2')] },
    waits('Failing over', 'shop-1 and shop-2 are both primaries; waiting for one to stop'),
  ],
];

const switching = (why: string) => ({ ...stops('Switchover in progress', why), isSwitchover: true });
const delayed = (why: string) => ({ do: 'keep', phase: 'Switchover delayed', why: `${why}; ${commitLoss}` });
const outdated = primary('shop-1', { pod: { isOutdated: true } });
const failedBefore = {
  switchoverFailure: {
    instance: 'shop-1',
    message: 'the server of shop-1 did not stop cleanly',
    count: 1,
    time: new Date(1_000_000).toISOString(),
  },
} as const;
const switchovers: Row[] = [
  [
    'delays a switchover while any replica lags far behind',
    {
      requestedPrimary: 'shop-2',
      members: [
        primary('shop-1', { report: { receivedLSN: '5/0' } }),
        replica('shop-2', { report: { receivedLSN: '5/0' } }),
        replica('shop-3', { report: { receivedLSN: '1/0' } }),
      ],
    },
    {
      do: 'keep',
      phase: 'Switchover delayed',
      why: 'a switchover to shop-2 was requested; shop-3 is 16384 MiB behind',
    },
  ],
  [
    'switches over while a replica lags less than the spec allows',
    {
      requestedPrimary: 'shop-2',
      maxSwitchoverLagBytes: 0x100000,
      members: [
        primary('shop-1', { report: { receivedLSN: '0/3100000' } }),
        replica('shop-2', { report: { receivedLSN: '0/3000000' } }),
      ],
    },
    switching('a switchover to shop-2 was requested'),
  ],
  [
    'delays a switchover while a replica lags more than the spec allows',
    {
      requestedPrimary: 'shop-2',
      maxSwitchoverLagBytes: 0x100000,
      members: [
        primary('shop-1', { report: { receivedLSN: '0/3100001' } }),
        replica('shop-2', { report: { receivedLSN: '0/3000000' } }),
      ],
    },
    { do: 'keep', phase: 'Switchover delayed', why: 'a switchover to shop-2 was requested; shop-2 is 1 MiB behind' },
  ],
  [
    'delays an automatic switchover after one that failed',
    { ...failedBefore, members: [outdated, replica('shop-2')] },
    {
      do: 'keep',
      phase: 'Switchover delayed',
      why: expect.stringMatching(/needs a restart; the last switchover failed/),
    },
  ],
  [
    'retries an automatic switchover after the delay',
    { ...failedBefore, nowMs: 1_300_000, members: [outdated, replica('shop-2')] },
    switching('shop-1 needs a restart'),
  ],
  [
    'tries a requested switchover immediately, although the last one failed',
    { ...failedBefore, requestedPrimary: 'shop-2' },
    switching('a switchover to shop-2 was requested'),
  ],
  [
    'does not delay the switchover from a pod that is being deleted, although the last one failed',
    { ...failedBefore, members: [primary('shop-1', { pod: { isDeleting: true } }), replica('shop-2')] },
    switching('the pod of shop-1 is being deleted'),
  ],
  [
    'delays a switchover if the primary cannot be reached',
    { requestedPrimary: 'shop-2', members: [unreachable('shop-1'), replica('shop-2')] },
    {
      do: 'keep',
      phase: 'Switchover delayed',
      why: 'a switchover to shop-2 was requested; shop-1 cannot be reached, so the lag of the replicas is unknown',
    },
  ],
  [
    'switches over to a requested replica',
    { requestedPrimary: 'shop-3' },
    switching('a switchover to shop-3 was requested'),
  ],
  ['keeps the primary if the user requests the current primary', { requestedPrimary: 'shop-1' }, keeps],
  [
    'keeps the primary if the requested replica does not stream',
    { requestedPrimary: 'shop-3', members: [primary('shop-1'), replica('shop-2'), detached('shop-3')] },
    keeps,
  ],
  [
    "switches over if the primary's node is being drained",
    { members: [primary('shop-1', { pod: { isOnCordonedNode: true } }), replica('shop-2')] },
    switching('the node of shop-1 is being drained'),
  ],
  [
    'keeps the primary if all nodes are being drained',
    {
      members: [
        primary('shop-1', { pod: { isOnCordonedNode: true } }),
        replica('shop-2', { pod: { isOnCordonedNode: true } }),
      ],
    },
    keeps,
  ],
  [
    "switches over if the primary's pod is being deleted",
    { members: [primary('shop-1', { pod: { isDeleting: true } }), replica('shop-2')] },
    switching('the pod of shop-1 is being deleted'),
  ],
  [
    'switches over if only the primary needs a restart',
    { members: [primary('shop-1', restarting), replica('shop-2')] },
    switching('shop-1 needs a restart'),
  ],
  [
    'keeps the primary while a replica needs a restart, too',
    { members: [primary('shop-1', restarting), replica('shop-2', restarting)] },
    keeps,
  ],
  [
    'keeps a primary that needs a restart if updates are supervised',
    { members: [primary('shop-1', restarting), replica('shop-2')], updates: 'supervised' },
    keeps,
  ],
  [
    'keeps the primary of a cluster without replicas',
    { members: [primary('shop-1', { pod: { isOnCordonedNode: true } })], requestedPrimary: 'shop-2' },
    keeps,
  ],
  [
    'switches over in a cluster of two with synchronous replication',
    {
      instances: 2,
      quorums: [quorum(1, ['shop-2'])],
      members: [primary('shop-1'), replica('shop-2')],
      requestedPrimary: 'shop-2',
    },
    switching('a switchover to shop-2 was requested'),
  ],
  [
    'delays a requested switchover while another replica cannot be reached',
    {
      ...oneOfTwo,
      members: [primary('shop-1'), replica('shop-2'), unreachable('shop-3')],
      requestedPrimary: 'shop-2',
    },
    delayed('a switchover to shop-2 was requested'),
  ],
  [
    'delays the switchover from a node that is being drained while a replica cannot be reached',
    {
      ...oneOfTwo,
      members: [primary('shop-1', { pod: { isOnCordonedNode: true } }), replica('shop-2'), unreachable('shop-3')],
    },
    delayed('the node of shop-1 is being drained'),
  ],
  [
    'delays the switchover from a pod that is being deleted while a replica cannot be reached',
    {
      ...oneOfTwo,
      members: [primary('shop-1', { pod: { isDeleting: true } }), replica('shop-2'), unreachable('shop-3')],
    },
    delayed('the pod of shop-1 is being deleted'),
  ],
  [
    'fails over before the end of the delay if the user forces a replica',
    {
      members: [unreachable('shop-1'), replica('shop-2')],
      lease: free,
      failoverDelaySeconds: 30,
      forcedPrimary: 'shop-2',
    },
    stops('Failing over', 'shop-1 is no longer the primary: the instance cannot be reached'),
  ],
  [
    'switches over while a replica cannot be reached if commits require no replicas',
    {
      members: [primary('shop-1'), replica('shop-2'), unreachable('shop-3')],
      requestedPrimary: 'shop-2',
    },
    switching('a switchover to shop-2 was requested'),
  ],
];

const switchedOff = (report: object, rest: object = {}): Partial<ObservedCluster> => ({
  switchoverFrom: 'shop-1',
  targetSinceMs: 980_000,
  lease: free,
  members: [stopped('shop-1', { report: { data: 'primary', ...report } }), detached('shop-2'), unreachable('shop-3')],
  ...rest,
});
const waitsForShop3 = { do: 'wait', phase: 'Failing over', why: 'waiting for the WAL position of shop-3' };
const notRunning: [string, number | undefined, object][] = [
  ['another pod is ready, but cannot be reached', undefined, waitsForShop3],
  ['another pod stopped just before the primary failed', 960_001, waitsForShop3],
  [
    'another pod stopped long before the primary failed',
    960_000,
    { do: 'appoint', name: 'shop-2', phase: 'Promoting primary', why: 'shop-2 has the most WAL' },
  ],
];
const returns = (why: string) => ({
  do: 'appoint',
  name: 'shop-1',
  phase: 'Promoting primary',
  why,
  isFailedSwitchover: true,
});
const elections: Row[] = [
  [
    'in a switchover, a replica has the last WAL',
    switchedOff({ shutdownLSN: '0/3000000' }),
    { do: 'appoint', name: 'shop-2', phase: 'Promoting primary', why: 'shop-2 has the most WAL' },
  ],
  [
    'in a switchover, no replica has the last WAL',
    switchedOff({ shutdownLSN: '0/3000001' }),
    returns('shop-2 lacks the last WAL of shop-1'),
  ],
  ['in a switchover, the primary was killed', switchedOff({}), returns('the server of shop-1 did not stop cleanly')],
  [
    'in a switchover, the primary was killed, but a replica has each commit',
    switchedOff({}, { quorums: [quorum(1, ['shop-2'])] }),
    appoints('shop-2'),
  ],
  [
    'in a switchover, the primary was killed, and a user forces a replica',
    switchedOff({}, { forcedPrimary: 'shop-2' }),
    appoints('shop-2'),
  ],
  [
    'in a switchover, the pod of the stopped primary is being deleted, and has not reported its last WAL',
    switchedOff(
      {},
      { members: [stopped('shop-1', { pod: { isDeleting: true }, report: { data: 'primary' } }), detached('shop-2')] },
    ),
    waits('Failing over', 'waiting for the last WAL position of shop-1'),
  ],
  [
    'in a switchover, the stopped primary has not read its data yet',
    switchedOff({}, { members: [stopped('shop-1'), detached('shop-2')] }),
    waits('Failing over', 'waiting for the last WAL position of shop-1'),
  ],
  [
    'in a switchover, the stopped primary is silent',
    switchedOff({}, { members: [unreachable('shop-1', { pod: null }), detached('shop-2')] }),
    waits('Failing over', 'waiting for the last WAL position of shop-1'),
  ],
  [
    'in a switchover, the stopped primary stays silent',
    switchedOff({}, { targetSinceMs: 940_000, members: [unreachable('shop-1', { pod: null }), detached('shop-2')] }),
    appoints('shop-2'),
  ],
  ...notRunning.map(
    ([what, notRunningSinceMs, decision]): Row => [
      what,
      {
        targetSinceMs: 995_000,
        lease: { isExpired: false, renewedMs: 990_000 },
        members: [stopped('shop-1'), detached('shop-2'), unreachable('shop-3', { pod: { notRunningSinceMs } })],
      },
      decision,
    ],
  ),
  [
    'another replica cannot be reached yet',
    {
      targetSinceMs: 980_000,
      members: [unreachable('shop-1'), detached('shop-2'), unreachable('shop-3')],
      lease: expired,
    },
    waits('Failing over', 'waiting for the WAL position of shop-3'),
  ],
  [
    'another replica still replays the WAL that it had',
    {
      targetSinceMs: 980_000,
      members: [unreachable('shop-1'), detached('shop-2'), detached('shop-3', { report: { isAtEnd: false } })],
      lease: expired,
    },
    waits('Failing over', 'waiting for the WAL position of shop-3'),
  ],
  [
    'another replica cannot be reached for a long time',
    {
      targetSinceMs: 970_000,
      members: [unreachable('shop-1'), detached('shop-2'), unreachable('shop-3')],
      lease: expired,
    },
    appoints('shop-2'),
  ],
  [
    'another instance has no data yet',
    {
      targetSinceMs: 980_000,
      members: [
        unreachable('shop-1'),
        detached('shop-2'),
        stopped('shop-3', { report: { state: 'starting', data: 'empty' } }),
      ],
      lease: expired,
    },
    appoints('shop-2'),
  ],
  [
    'waits for a running primary to stop',
    { members: [primary('shop-1'), replica('shop-2')] },
    waits('Failing over', 'waiting for shop-1 to stop'),
  ],
  [
    'waits until the Lease of an unreachable primary expires',
    { members: [unreachable('shop-1'), detached('shop-2')] },
    waits('Failing over', 'waiting until shop-1 releases the Lease, or the Lease expires'),
  ],
  [
    'waits for a replica that is still receiving WAL',
    { members: [stopped('shop-1'), detached('shop-2'), replica('shop-3')], lease: free },
    waits('Failing over', 'waiting for shop-3 to stop receiving WAL'),
  ],
  [
    'appoints a replica once the primary has stopped and no replica receives WAL',
    { members: [stopped('shop-1'), detached('shop-2'), detached('shop-3')], lease: free },
    { do: 'appoint', name: 'shop-2', phase: 'Promoting primary', why: 'shop-2 has the most WAL' },
  ],
  [
    'appoints a replica once the Lease of an unreachable primary has expired',
    { members: [unreachable('shop-1'), detached('shop-2'), detached('shop-3')], lease: expired },
    appoints('shop-2'),
  ],
  [
    'waits if the reachable replicas may lack commits',
    { members: [unreachable('shop-1'), detached('shop-2'), unreachable('shop-3')], lease: expired, ...oneOfTwo },
    waits('Failing over', commitLoss),
  ],
  [
    'appoints the old primary if the reachable replicas may lack commits',
    { members: [stopped('shop-1'), detached('shop-2'), unreachable('shop-3')], lease: free, ...oneOfTwo },
    appoints('shop-1'),
  ],
  [
    'appoints a forced replica even if it may lack commits',
    {
      members: [unreachable('shop-1'), detached('shop-2'), unreachable('shop-3')],
      lease: expired,
      ...oneOfTwo,
      forcedPrimary: 'shop-2',
    },
    {
      do: 'appoint',
      name: 'shop-2',
      phase: 'Promoting primary',
      why: 'a user forced the promotion of shop-2, so commits that it lacks are lost',
    },
  ],
  [
    'waits until the volumes of an earlier cluster have been read',
    { ...noPrimary, targetPrimary: '', members: [stopped('shop-1'), unreachable('shop-2')], lease: free },
    waits('Setting up primary', 'waiting for shop-1, shop-2 to report the state of the data'),
  ],
  [
    'appoints the primary of an earlier cluster',
    {
      ...noPrimary,
      targetPrimary: '',
      members: [stopped('shop-1', { report: { data: 'primary' } }), stopped('shop-2', { report: { data: 'empty' } })],
      lease: free,
    },
    appoints('shop-1'),
  ],
  [
    'waits if no replica can be reached and the old primary cannot start',
    { members: [stopped('shop-1', { report: { state: 'failed' } }), unreachable('shop-2')], lease: free },
    waits('Failing over', 'no replica can be promoted'),
  ],
];

const promoting = { targetPrimary: 'shop-2', currentPrimary: 'shop-1', lease: free };
const promotions: Row[] = [
  [
    'waits for the user if the restore of a new cluster was abandoned',
    {
      currentPrimary: undefined,
      members: [stopped('shop-1', { report: { state: 'failed', message: 'too short', restoreError: 'too short' } })],
    },
    waits('Waiting for user action', 'shop-1: too short'),
  ],
  [
    'waits while the instance promotes its server',
    { ...promoting, members: [stopped('shop-1'), detached('shop-2', { report: { message: 'promoting' } })] },
    waits('Promoting primary', 'promoting'),
  ],
  [
    'stops the promotion if the instance fails',
    {
      ...promoting,
      members: [stopped('shop-1'), stopped('shop-2', { report: { state: 'failed', message: 'no space' } })],
    },
    stops('Failing over', 'shop-2 cannot become the primary: no space'),
  ],
  [
    'stops the promotion if the instance cannot be reached',
    { ...promoting, members: [stopped('shop-1'), unreachable('shop-2')] },
    stops('Failing over', 'shop-2 cannot become the primary: the instance cannot be reached'),
  ],
  [
    'waits while the instance has been unreachable for less than 10 s',
    { ...promoting, members: [stopped('shop-1'), unreachable('shop-2')], targetSinceMs: 991_000 },
    waits('Promoting primary', 'waiting for shop-2 to become the primary'),
  ],
  [
    'waits for an unreachable instance that holds the Lease, because it may have been promoted',
    {
      ...promoting,
      members: [stopped('shop-1'), unreachable('shop-2')],
      lease: { holder: 'shop-2', isExpired: false },
    },
    waits('Promoting primary', 'shop-2: the instance cannot be reached'),
  ],
  [
    "stops the promotion if the instance's pod is gone",
    { ...promoting, members: [stopped('shop-1'), unreachable('shop-2', { pod: null })] },
    stops('Failing over', 'shop-2 cannot become the primary: the pod is gone'),
  ],
];

describe.each([
  ['in a new cluster', {}, setup],
  ['while a primary is in place', {}, steady],
  ['for a switchover', {}, switchovers],
  ['in an election', { targetPrimary: '' }, elections],
  ['during a promotion', {}, promotions],
])('choosePrimary %s', (_, base, rows) => {
  it.each(rows)('%s', (__, observed, decision) => {
    expect(choosePrimary(cluster({ ...base, ...observed }))).toEqual(decision);
  });
});

describe('choosePrimary', () => {
  it('appoints no instance while the Lease is held, a primary runs or a replica receives WAL', () => {
    const leases = [free, expired, { holder: 'shop-1', isExpired: false }, { holder: 'shop-3', isExpired: false }];
    const states = [primary, replica, detached, stopped, unreachable];
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
