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
const fresh = cluster('shop-1', { currentPrimary: undefined, systemID: undefined, timeline: undefined });

const waits = (why: string, state = 'waiting') => ({ do: 'wait', state, why });
const stops = (mode: string, why: string) => ({ do: 'stop', mode, why });
const starts = (upstream: string | undefined) => ({ do: 'start', role: 'standby', upstream });
const follows = (upstream: string | undefined) => ({ do: 'follow', upstream });

type Row = [what: string, situation: Partial<Situation>, decision: object];

/** Every row is about `shop-1`, which has stopped, has no Lease, and has data of a standby, unless it says otherwise. */
const base: Situation = {
  name: 'shop-1',
  cluster: cluster('shop-2'),
  lease: taken,
  data: data('standby'),
  server: stopped,
  isYielding: false,
};

const beforeAnything: Row[] = [
  ['the cluster is unknown', { cluster: undefined }, waits('the PostgresCluster has not been read yet')],
  ['the cluster is unknown, and a standby runs', { cluster: undefined, server: standby('shop-2') }, { do: 'nothing' }],
  [
    'a primary lost the Lease',
    { cluster: cluster('shop-1'), server: primary },
    stops('immediate', 'the Lease is no longer held'),
  ],
  [
    'a primary lost the Lease, and the cluster is unknown',
    { cluster: undefined, server: primary },
    stops('immediate', 'the Lease is no longer held'),
  ],
  [
    'fenced, and running',
    { cluster: cluster('shop-1', { isFenced: true }), server: primary, lease: held },
    stops('fast', 'the instance is fenced'),
  ],
  ['fenced, and the Lease is held', { cluster: cluster('shop-1', { isFenced: true }), lease: held }, { do: 'release' }],
  ['fenced', { cluster: cluster('shop-1', { isFenced: true }) }, waits('the instance is fenced', 'fenced')],
  [
    'hibernated, and running',
    { cluster: cluster('shop-2', { isHibernated: true }), server: standby('shop-2') },
    stops('fast', 'the cluster is hibernated'),
  ],
  ['hibernated', { cluster: cluster('shop-1', { isHibernated: true }) }, waits('the cluster is hibernated')],
];

const targets: Row[] = [
  ['a new cluster, and the Lease is free', { cluster: fresh, data: empty, lease: free }, { do: 'acquire' }],
  ['a new cluster, and the Lease is held', { cluster: fresh, data: empty, lease: held }, { do: 'initialize' }],
  [
    'the data of an initialized cluster is gone',
    { cluster: cluster('shop-1'), data: empty, lease: held },
    waits('the data directory is empty, but the cluster has been initialized before', 'failed'),
  ],
  [
    'the data is unusable',
    { cluster: cluster('shop-1'), data: unusable, lease: held },
    waits('a rewind was interrupted', 'failed'),
  ],
  [
    'the data belongs to another cluster',
    { cluster: cluster('shop-1'), data: data('primary', { systemID: '8' }), lease: held },
    waits('the data directory belongs to database system 8, not to 7', 'failed'),
  ],
  [
    'the data is of an older timeline',
    { cluster: cluster('shop-1', { timeline: 3 }), data: data('primary', { timeline: 2 }), lease: held },
    waits('the data is on timeline 2, but the cluster is on timeline 3', 'failed'),
  ],
  [
    'a primary restarts, and the Lease is free',
    { cluster: cluster('shop-1'), data: data('primary'), lease: free },
    { do: 'acquire' },
  ],
  [
    'a primary restarts, and another instance holds the Lease',
    { cluster: cluster('shop-1'), data: data('primary') },
    waits('waiting for the Lease, which shop-2 holds'),
  ],
  [
    'a primary restarts, and the Lease is held',
    { cluster: cluster('shop-1'), data: data('primary'), lease: held },
    { do: 'start', role: 'primary' },
  ],
  [
    'a primary has just died',
    { cluster: cluster('shop-1'), data: data('primary'), lease: free, isYielding: true },
    waits('the server died; the operator may choose another primary'),
  ],
  [
    'a primary runs',
    { cluster: cluster('shop-1'), data: data('primary'), lease: held, server: primary },
    { do: 'nothing' },
  ],
  [
    'a stopped standby is promoted',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: free },
    starts(undefined),
  ],
  [
    'a running standby is promoted, and the Lease is taken',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), server: standby() },
    waits('waiting for the Lease, which shop-2 holds'),
  ],
  [
    'a running standby is promoted, and the Lease is free',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: free, server: standby() },
    { do: 'acquire' },
  ],
  [
    'a running standby is promoted, and the Lease is held',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: held, server: standby() },
    { do: 'promote' },
  ],
  [
    'a starting standby is promoted',
    { cluster: cluster('shop-1', { currentPrimary: 'shop-2' }), lease: held, server: standby(undefined, false) },
    waits('waiting for the server to accept connections', 'starting'),
  ],
];

const electing = cluster('', { currentPrimary: 'shop-2' });
const promoting = cluster('shop-3', { currentPrimary: 'shop-2' });
const replicas: Row[] = [
  ['a primary is replaced', { lease: held, server: primary }, stops('fast', 'another instance becomes the primary')],
  [
    'a primary is asked to stop before an election',
    { cluster: cluster('', { currentPrimary: 'shop-1' }), lease: held, server: primary },
    stops('fast', 'another instance becomes the primary'),
  ],
  ['a stopped primary is replaced', { lease: held, data: data('primary') }, { do: 'release' }],
  ['a promotion is called off', { lease: held, server: standby() }, { do: 'release' }],
  ['no data, and no primary', { cluster: promoting, data: empty }, waits('waiting for a primary')],
  ['no data', { data: empty }, { do: 'clone', from: 'shop-2' }],
  ['unusable data', { data: unusable }, { do: 'clone', from: 'shop-2' }],
  ['unusable data, and no primary', { cluster: electing, data: unusable }, waits('waiting for a primary')],
  [
    'data of another cluster',
    { data: data('standby', { systemID: '8' }) },
    waits('the data directory belongs to database system 8, not to 7', 'failed'),
  ],
  ['data of a former primary', { data: data('primary') }, { do: 'rewind', from: 'shop-2' }],
  [
    'data of a former primary, and no primary',
    { cluster: electing, data: data('primary') },
    waits('waiting for a primary'),
  ],
  ['data of a standby', {}, starts('shop-2')],
  ['data of a standby, and no primary', { cluster: electing }, starts(undefined)],
  [
    'data of a standby that has diverged',
    { data: data('standby', { isDiverged: true }) },
    { do: 'rewind', from: 'shop-2' },
  ],
  ['a standby streams', { server: standby('shop-2') }, { do: 'nothing' }],
  ['a standby streams from a former primary', { server: standby('shop-3') }, follows('shop-2')],
  [
    'a standby has diverged',
    { server: standby('shop-3'), data: data('standby', { isDiverged: true }) },
    stops('fast', 'the data has diverged from shop-2'),
  ],
  [
    'the primary lacks WAL for a standby',
    { server: standby('shop-2'), data: unusable },
    stops('fast', 'a rewind was interrupted'),
  ],
  [
    'a standby receives the last WAL of a primary that stops',
    { cluster: electing, server: standby('shop-2') },
    { do: 'nothing' },
  ],
  [
    'the Lease of the former primary has expired',
    { cluster: electing, lease: free, server: standby('shop-2') },
    follows(undefined),
  ],
  [
    'the new primary holds the Lease',
    { cluster: promoting, lease: { state: 'taken', holder: 'shop-3' }, server: standby('shop-2') },
    follows(undefined),
  ],
  ['the new primary still waits for the Lease', { cluster: promoting, server: standby('shop-2') }, { do: 'nothing' }],
  ['a disconnected standby waits', { cluster: promoting, lease: free, server: standby() }, { do: 'nothing' }],
];

describe.each([
  ['before anything else', beforeAnything],
  ['as the target primary', targets],
  ['as a replica', replicas],
])('decide %s', (_, rows) => {
  it.each(rows)('%s', (__, situation, decision) => {
    expect(decide({ ...base, ...situation })).toEqual(decision satisfies object as Decision);
  });
});

describe('decide', () => {
  it('starts, promotes and keeps a primary only while the Lease is held', () => {
    const leases = [held, free, taken];
    const datas = [empty, unusable, data('primary'), data('standby'), data('standby', { isDiverged: true })];
    const servers = [stopped, primary, standby(), standby('shop-2'), standby(undefined, false)];
    const clusters = [undefined, fresh, electing, promoting, cluster('shop-1'), cluster('shop-2')];
    const seen = new Set<string>();
    for (const lease of leases)
      for (const data of datas)
        for (const server of servers)
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
    // Otherwise the rules above would hold for an instance that does nothing.
    for (const action of ['initialize', 'promote', 'start a primary', 'stop', 'clone', 'rewind']) {
      expect(seen).toContain(action);
    }
  });
});
