import { describe, expect, it } from 'vitest';
import { elect } from './election.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { cluster, detached, primary, silent, stopped } from './testdata/observed.ts';

const lsn = (receivedLSN: string, rest: object = {}) => ({ report: { receivedLSN, ...rest } });
const free = { isExpired: false };
const electing = (members: ObservedCluster['members'], rest: Partial<ObservedCluster> = {}) =>
  cluster({ targetPrimary: '', lease: free, members: [stopped('shop-1'), ...members], ...rest });
const missing = (count: number) =>
  `${count} of 2 replicas are missing, and commits need only 1 of them: any choice could lose commits`;

type Row = [what: string, observed: ObservedCluster, result: object];
const rows: Row[] = [
  [
    'the replica with the most WAL wins',
    electing([detached('shop-2', lsn('0/3000000')), detached('shop-3', lsn('0/3000060'))]),
    { winner: 'shop-3' },
  ],
  [
    'positions are compared as numbers',
    electing([detached('shop-2', lsn('9/FF000000')), detached('shop-3', lsn('10/0'))]),
    { winner: 'shop-3' },
  ],
  [
    'a request does not outweigh WAL',
    electing([detached('shop-2'), detached('shop-3', lsn('0/3000060'))], { requestedPrimary: 'shop-2' }),
    { winner: 'shop-3' },
  ],
  [
    'among equals, the requested one',
    electing([detached('shop-2'), detached('shop-3')], { requestedPrimary: 'shop-3' }),
    { winner: 'shop-3' },
  ],
  [
    'among equals, one whose node is not drained',
    electing([detached('shop-2', { pod: { isOnCordonedNode: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'among equals, the one that has replayed more',
    electing([detached('shop-2'), detached('shop-3', { report: { replayedLSN: '0/3000060' } })]),
    { winner: 'shop-3' },
  ],
  ['among equals, the lowest number', electing([detached('shop-2'), detached('shop-3')]), { winner: 'shop-2' }],
  [
    'a newer timeline outweighs a longer WAL',
    electing([detached('shop-2', lsn('0/9000000')), detached('shop-3', lsn('0/3000000', { timeline: 2 }))]),
    { winner: 'shop-3' },
  ],
  [
    'never one that missed a timeline with acknowledged commits',
    electing([detached('shop-2'), detached('shop-3')], { timeline: 2 }),
    { why: 'no replica has reached timeline 2, on which commits were acknowledged' },
  ],
  [
    'not a fenced one',
    electing([detached('shop-2'), detached('shop-3')], { fenced: ['shop-2'] }),
    { winner: 'shop-3' },
  ],
  [
    'not one whose disk is full',
    electing([detached('shop-2', { report: { isDiskFull: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'not one that is being deleted',
    electing([detached('shop-2', { pod: { isDeleting: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'not one that starts',
    electing([detached('shop-2', { report: { state: 'starting' } })]),
    { why: 'no replica can be promoted' },
  ],
  ['not a primary', electing([primary('shop-2'), detached('shop-3')]), { winner: 'shop-3' }],
  ['no replica can be reached', electing([silent('shop-2'), silent('shop-3')]), { why: 'no replica can be promoted' }],
  [
    'one of two replicas has each commit, and both are here',
    electing([detached('shop-2'), detached('shop-3')], { synchronous: 1 }),
    { winner: 'shop-2' },
  ],
  [
    'one of two replicas has each commit, and one is missing',
    electing([detached('shop-2'), silent('shop-3')], { synchronous: 1 }),
    { why: missing(1) },
  ],
  [
    'both replicas have each commit, and one is missing',
    electing([detached('shop-2'), silent('shop-3')], { synchronous: 2 }),
    { winner: 'shop-2' },
  ],
  [
    'replicas are preferred to confirm commits, and one is missing',
    electing([detached('shop-2'), silent('shop-3')], { synchronous: 1, durability: 'preferred' }),
    { winner: 'shop-2' },
  ],
];

describe('elect', () => {
  it.each(rows)('%s', (_, observed, result) => {
    expect(elect(observed)).toEqual(result);
  });
});
