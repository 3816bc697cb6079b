import { describe, expect, it } from 'vitest';
import { elect } from './election.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { cluster, detached, primary, quorum, silent, stopped } from './testdata/observed.ts';

const lsn = (receivedLSN: string, rest: object = {}) => ({ report: { receivedLSN, ...rest } });
const free = { isExpired: false };
const electing = (members: ObservedCluster['members'], rest: Partial<ObservedCluster> = {}) =>
  cluster({ targetPrimary: '', lease: free, members: [stopped('shop-1'), ...members], ...rest });
const missing = 'shop-3 is missing, and commits needed only 1 of shop-2, shop-3: any choice could lose commits';

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
    electing([detached('shop-2'), detached('shop-3')], { quorums: [quorum(1)] }),
    { winner: 'shop-2' },
  ],
  [
    'one of two replicas has each commit, and one is missing',
    electing([detached('shop-2'), silent('shop-3')], { quorums: [quorum(1)] }),
    { why: missing },
  ],
  [
    'both replicas have each commit, and one is missing',
    electing([detached('shop-2'), silent('shop-3')], { quorums: [quorum(2)] }),
    { winner: 'shop-2' },
  ],
  [
    'commits fulfil one of two quorums, and one of them is uncertain',
    electing([detached('shop-2'), silent('shop-3')], { quorums: [quorum(2), quorum(1)] }),
    { why: missing },
  ],
  [
    'a replica that was removed from the cluster may be the only one with a commit',
    electing([detached('shop-2')], { quorums: [quorum(1), quorum(1, ['shop-2'])] }),
    { why: missing },
  ],
  [
    'a replica outside the quorum may win',
    electing([detached('shop-2'), detached('shop-4', lsn('0/3000060'))], { quorums: [quorum(1, ['shop-2'])] }),
    { winner: 'shop-4' },
  ],
  [
    'a user may force a choice that loses commits',
    electing([detached('shop-2'), detached('shop-4', lsn('0/3000060'))], {
      quorums: [quorum(1)],
      timeline: 2,
      forcedPrimary: 'shop-2',
    }),
    { winner: 'shop-2' },
  ],
  [
    'an instance that cannot be promoted cannot be forced',
    electing([detached('shop-2'), silent('shop-3')], { quorums: [quorum(1)], forcedPrimary: 'shop-3' }),
    { why: missing },
  ],
];

describe('elect', () => {
  it.each(rows)('%s', (_, observed, result) => {
    expect(elect(observed)).toEqual(result);
  });
});
