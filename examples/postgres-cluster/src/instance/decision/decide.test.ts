import { describe, expect, it } from 'vitest';
import { type Decision, decide } from './decide.ts';
import type { ClusterView, DataState, LeaseState, ServerState, Situation } from './situation.ts';

const held: LeaseState = { state: 'held', holder: 'shop-1' };
const free: LeaseState = { state: 'free' };
const taken: LeaseState = { state: 'taken', holder: 'shop-2' };
const empty: DataState = { kind: 'empty' };
const data = (role: 'primary' | 'standby', rest: { systemID?: string; timeline?: number; isDiverged?: boolean } = {}) =>
  ({ kind: 'present', role, systemID: '7', timeline: 1, isDiverged: false, ...rest }) satisfies DataState;
const unusable: DataState = { kind: 'unusable', why: 'a rewind was interrupted' };
const stopped: ServerState = { kind: 'stopped' };
const primary: ServerState = { kind: 'running', role: 'primary', isAccepting: true };
const standby = (upstream?: string, isAccepting = true): ServerState => ({
  kind: 'running',
  role: 'standby',
  isAccepting,
  upstream,
});
const cluster = (targetPrimary: string, rest: Partial<ClusterView> = {}): ClusterView => ({
  targetPrimary,
  currentPrimary: targetPrimary,
  systemID: '7',
  timeline: 1,
  isFenced: false,
  isHibernated: false,
  ...rest,
});
const newCluster = cluster('shop-1', { currentPrimary: undefined, systemID: undefined, timeline: undefined });

const waits = (why: string, state = 'waiting') => ({ do: 'wait', state, why });
const stops = (mode: string, why: string) => ({ do: 'stop', mode, why });
const starts = (upstream: string | undefined) => ({ do: 'start', role: 'standby', upstream });
const follows = (upstream: string | undefined) => ({ do: 'follow', upstream });

type Row = [what: string, situation: Partial<Situation>, decision: object];

/** The defaults of all rows: `shop-1` has stopped, does not hold the Lease, and has the data of a standby. */
const base: Situation = {
  name: 'shop-1',
  cluster: cluster('shop-2'),
  lease: taken,
  data: data('standby'),
  server: stopped,
  isYielding: false,
};

const anyRole: Row[] = [
  [
    'waits until the PostgresCluster has been read',
    { cluster: undefined },
    waits('the PostgresCluster has not been read yet'),
  ],
  [
    'keeps a standby running until the PostgresCluster has been read',
    { cluster: undefined, server: standby('shop-2') },
    { do: 'nothing' },
  ],
  [
    'stops a primary that lost the Lease',
    { cluster: cluster('shop-1'), server: primary },
    stops('immediate', 'the Lease is no longer held'),
  ],
  [
    'stops a primary that lost the Lease before the PostgresCluster has been read',
    { cluster: undefined, server: primary },
    stops('immediate', 'the Lease is no longer held'),
  ],
  [
    'stops the server of a fenced instance',
    { cluster: cluster('shop-1', { isFenced: true }), server: primary, lease: held },
    stops('fast', 'the instance is fenced'),
  ],
  [
    'releases the Lease of a fenced instance',
    { cluster: cluster('shop-1', { isFenced: true }), lease: held },
    { do: 'release' },
  ],
  [
    'waits while the instance is fenced',
    { cluster: cluster('shop-1', { isFenced: true }) },
    waits('the instance is fenced', 'fenced'),
  ],
  [
    'stops the server of a hibernated cluster',
    { cluster: cluster('shop-2', { isHibernated: true }), server: standby('shop-2') },
    stops('fast', 'the cluster is hibernated'),
  ],
  [
    'waits while the cluster is hibernated',
    { cluster: cluster('shop-1', { isHibernated: true }) },
    waits('the cluster is hibernated'),
  ],
];

const targets: Row[] = [
  ['acquires the Lease in a new cluster', { cluster: newCluster, data: empty, lease: free }, { do: 'acquire' }],
  [
    'initializes a new cluster while it holds the Lease',
    { cluster: newCluster, data: empty, lease: held },
    { do: 'initialize' },
  ],
  [
    'fails if the data of an initialized cluster is gone',
    { cluster: cluster('shop-1'), data: empty, lease: held },
    waits('the data directory is empty, but the cluster has been initialized before', 'failed'),
  ],
  [
    'fails if its data is unusable',
    { cluster: cluster('shop-1'), data: unusable, lease: held },
    waits('a rewind was interrupted', 'failed'),
  ],
  [
    'fails if its data belongs to another database system',
    { cluster: cluster('shop-1'), data: data('primary', { systemID: '8' }), lease: held },
    waits('the data directory belongs to database system 8, not to 7', 'failed'),
  ],
  [
    'fails if its data is on an older timeline',
    { cluster: cluster('shop-1', { timeline: 3 }), data: data('primary', { timeline: 2 }), lease: held },
    waits('the data is on timeline 2, but the cluster is on timeline 3', 'failed'),
  ],
  [
    'acquires a free Lease before it restarts as the primary',
    { cluster: cluster('shop-1'), data: data('primary'), lease: free },
    { do: 'acquire' },
  ],
  [
    'waits to restart as the primary while another instance holds the Lease',
    { cluster: cluster('shop-1'), data: data('primary') },
    waits('waiting for the Lease, which shop-2 holds'),
  ],
  [
    'starts as the primary while it holds the Lease',
    { cluster: cluster('shop-1'), data: data('primary'), lease: held },
    { do: 'start', role: 'primary' },
  ],
  [
    'waits after its server died, so that the operator can choose another primary',
    { cluster: cluster('shop-1'), data: data('primary'), lease: free, isYielding: true },
    waits('the server died; the operator may choose another primary'),
  ],
  [
    'does nothing while it runs as the primary',
    { cluster: cluster('shop-1'), data: data('primary'), lease: held, server: primary },
    { do: 'nothing' },
  ],
  [
    'starts a stopped standby before promoting it',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: free },
    starts(undefined),
  ],
  [
    'waits to promote a standby while another instance holds the Lease',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), server: standby() },
    waits('waiting for the Lease, which shop-2 holds'),
  ],
  [
    'acquires a free Lease before it promotes a standby',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: free, server: standby() },
    { do: 'acquire' },
  ],
  [
    'promotes a standby while it holds the Lease',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: held, server: standby() },
    { do: 'promote' },
  ],
  [
    'waits to promote a standby until the server accepts connections',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: held, server: standby(undefined, false) },
    waits('waiting for the server to accept connections', 'starting'),
  ],
];

const electing = cluster('', { currentPrimary: 'shop-2' });
const promoting = cluster('shop-3', { currentPrimary: 'shop-2' });
const replicas: Row[] = [
  [
    'stops a primary that another instance replaces',
    { lease: held, server: primary },
    stops('fast', 'another instance becomes the primary'),
  ],
  [
    'stops a primary before an election',
    { cluster: cluster('', { currentPrimary: 'shop-1' }), lease: held, server: primary },
    stops('fast', 'another instance becomes the primary'),
  ],
  ['releases the Lease once its primary has stopped', { lease: held, data: data('primary') }, { do: 'release' }],
  ['releases the Lease if it is no longer the target primary', { lease: held, server: standby() }, { do: 'release' }],
  ['waits for a primary if it has no data', { cluster: promoting, data: empty }, waits('waiting for a primary')],
  ['clones the primary if it has no data', { data: empty }, { do: 'clone', from: 'shop-2' }],
  ['clones the primary if its data is unusable', { data: unusable }, { do: 'clone', from: 'shop-2' }],
  [
    'waits for a primary if its data is unusable',
    { cluster: electing, data: unusable },
    waits('waiting for a primary'),
  ],
  [
    'fails if its data belongs to another database system',
    { data: data('standby', { systemID: '8' }) },
    waits('the data directory belongs to database system 8, not to 7', 'failed'),
  ],
  ['rewinds the data of a former primary', { data: data('primary') }, { do: 'rewind', from: 'shop-2' }],
  [
    'waits for a primary before it rewinds the data of a former primary',
    { cluster: electing, data: data('primary') },
    waits('waiting for a primary'),
  ],
  ['starts a standby that streams from the primary', {}, starts('shop-2')],
  ['starts a standby without an upstream if there is no primary', { cluster: electing }, starts(undefined)],
  [
    'rewinds the data of a standby that has diverged',
    { data: data('standby', { isDiverged: true }) },
    { do: 'rewind', from: 'shop-2' },
  ],
  ['does nothing while a standby streams from the primary', { server: standby('shop-2') }, { do: 'nothing' }],
  [
    'makes a standby stream from the new primary instead of a former primary',
    { server: standby('shop-3') },
    follows('shop-2'),
  ],
  [
    'stops a running standby that has diverged',
    { server: standby('shop-3'), data: data('standby', { isDiverged: true }) },
    stops('fast', 'the data has diverged from shop-2'),
  ],
  [
    'stops a running standby whose data is unusable',
    { server: standby('shop-2'), data: unusable },
    stops('fast', 'a rewind was interrupted'),
  ],
  [
    'keeps a standby connected to a primary that is stopping, to receive its last WAL',
    { cluster: electing, server: standby('shop-2') },
    { do: 'nothing' },
  ],
  [
    'disconnects a standby from a former primary whose Lease has expired',
    { cluster: electing, lease: free, server: standby('shop-2') },
    follows(undefined),
  ],
  [
    'disconnects a standby from a former primary once another instance holds the Lease',
    { cluster: promoting, lease: { state: 'taken', holder: 'shop-3' }, server: standby('shop-2') },
    follows(undefined),
  ],
  [
    'keeps a standby connected to the former primary while that primary holds the Lease',
    { cluster: promoting, server: standby('shop-2') },
    { do: 'nothing' },
  ],
  [
    'does nothing while a disconnected standby waits for a primary',
    { cluster: promoting, lease: free, server: standby() },
    { do: 'nothing' },
  ],
];

describe.each([
  ['in any role', anyRole],
  ['as the target primary', targets],
  ['as a replica', replicas],
])('decide %s', (_, rows) => {
  it.each(rows)('%s', (__, situation, decision) => {
    expect(decide({ ...base, ...situation })).toEqual(decision satisfies object as Decision);
  });
});

describe('decide', () => {
  it('starts, promotes and keeps a primary only while the Lease is held', () => {
    const leaseStates = [held, free, taken];
    const dataStates = [empty, unusable, data('primary'), data('standby'), data('standby', { isDiverged: true })];
    const serverStates = [stopped, primary, standby(), standby('shop-2'), standby(undefined, false)];
    const clusters = [undefined, newCluster, electing, promoting, cluster('shop-1'), cluster('shop-2')];
    const seen = new Set<string>();
    for (const lease of leaseStates)
      for (const data of dataStates)
        for (const server of serverStates)
          for (const cluster of clusters)
            for (const isYielding of [false, true]) {
              const decision = decide({ name: 'shop-1', lease, data, server, cluster, isYielding });
              seen.add(decision.do === 'start' ? `start a ${decision.role}` : decision.do);
              const isWriter =
                decision.do === 'initialize' ||
                decision.do === 'promote' ||
                (decision.do === 'start' && decision.role === 'primary');
              if (isWriter) expect([lease.state, cluster?.targetPrimary]).toEqual(['held', 'shop-1']);
              if (server === primary && lease !== held) expect(decision.do).toBe('stop');
              // Data is replaced only if a primary exists to copy from, and never while a server uses it.
              if (decision.do === 'clone' || decision.do === 'rewind') {
                expect([decision.from, server.kind]).toEqual(['shop-2', 'stopped']);
              }
            }
    // Each action occurs: without this check, the test would pass for an instance that does nothing.
    for (const action of ['initialize', 'promote', 'start a primary', 'stop', 'clone', 'rewind']) {
      expect(seen).toContain(action);
    }
  });
});
