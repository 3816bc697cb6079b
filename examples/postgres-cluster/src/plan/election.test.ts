import { describe, expect, it } from 'vitest';
import { elect } from './election.ts';
import type { ObservedCluster } from './observed-cluster.ts';
import { cluster, detached, primary, quorum, stopped, unreachable } from './testdata/observed.ts';

const lsn = (receivedLSN: string, rest: object = {}) => ({ report: { receivedLSN, ...rest } });
const free = { isExpired: false };
const electing = (members: ObservedCluster['members'], rest: Partial<ObservedCluster> = {}) =>
  cluster({ targetPrimary: '', lease: free, members: [stopped('shop-1'), ...members], ...rest });
const missing =
  'shop-3 is unavailable and may have commits that no other replica has, because only 1 of shop-2, shop-3 had to confirm each commit; bring it back, or force a promotion if the primary is lost';

type Row = [what: string, observed: ObservedCluster, result: object];
const rows: Row[] = [
  [
    'chooses the replica with the most WAL',
    electing([detached('shop-2', lsn('0/3000000')), detached('shop-3', lsn('0/3000060'))]),
    { winner: 'shop-3' },
  ],
  [
    'compares WAL positions as numbers',
    electing([detached('shop-2', lsn('9/FF000000')), detached('shop-3', lsn('10/0'))]),
    { winner: 'shop-3' },
  ],
  [
    'prefers the replica with more WAL over the requested replica',
    electing([detached('shop-2'), detached('shop-3', lsn('0/3000060'))], { requestedPrimary: 'shop-2' }),
    { winner: 'shop-3' },
  ],
  [
    'among equals, prefers the requested replica',
    electing([detached('shop-2'), detached('shop-3')], { requestedPrimary: 'shop-3' }),
    { winner: 'shop-3' },
  ],
  [
    'among equals, prefers a replica whose node is not being drained',
    electing([detached('shop-2', { pod: { isOnCordonedNode: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'among equals, prefers the replica that has replayed more WAL',
    electing([detached('shop-2'), detached('shop-3', { report: { replayedLSN: '0/3000060' } })]),
    { winner: 'shop-3' },
  ],
  [
    'among equals, chooses the replica with the lowest number',
    electing([detached('shop-2'), detached('shop-3')]),
    { winner: 'shop-2' },
  ],
  [
    'prefers a newer timeline over more WAL',
    electing([detached('shop-2', lsn('0/9000000')), detached('shop-3', lsn('0/3000000', { timeline: 2 }))]),
    { winner: 'shop-3' },
  ],
  [
    'chooses no replica that lacks a timeline with acknowledged commits',
    electing([detached('shop-2'), detached('shop-3')], { timeline: 2 }),
    { why: 'no replica has reached timeline 2, on which commits were acknowledged' },
  ],
  [
    'skips a fenced replica',
    electing([detached('shop-2'), detached('shop-3')], { fenced: ['shop-2'] }),
    { winner: 'shop-3' },
  ],
  [
    'skips a replica whose disk is full',
    electing([detached('shop-2', { report: { isDiskFull: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'skips a replica whose pod is being deleted',
    electing([detached('shop-2', { pod: { isDeleting: true } }), detached('shop-3')]),
    { winner: 'shop-3' },
  ],
  [
    'skips a replica that is starting',
    electing([detached('shop-2', { report: { state: 'starting' } })]),
    { why: 'no replica can be promoted' },
  ],
  ['skips an instance that runs as a primary', electing([primary('shop-2'), detached('shop-3')]), { winner: 'shop-3' }],
  [
    'chooses no replica if none can be reached',
    electing([unreachable('shop-2'), unreachable('shop-3')]),
    { why: 'no replica can be promoted' },
  ],
  [
    'chooses a replica if one of two has each commit and both can be reached',
    electing([detached('shop-2'), detached('shop-3')], { quorums: [quorum(1)] }),
    { winner: 'shop-2' },
  ],
  [
    'chooses no replica if one of two has each commit and one is missing',
    electing([detached('shop-2'), unreachable('shop-3')], { quorums: [quorum(1)] }),
    { why: missing },
  ],
  [
    'chooses the remaining replica if both have each commit',
    electing([detached('shop-2'), unreachable('shop-3')], { quorums: [quorum(2)] }),
    { winner: 'shop-2' },
  ],
  [
    'chooses no replica if one of two published quorums could lose commits',
    electing([detached('shop-2'), unreachable('shop-3')], { quorums: [quorum(2), quorum(1)] }),
    { why: missing },
  ],
  [
    'chooses no replica if a removed replica may have the only copy of a commit',
    electing([detached('shop-2')], { quorums: [quorum(1), quorum(1, ['shop-2'])] }),
    { why: missing },
  ],
  [
    'may choose a replica outside the quorum',
    electing([detached('shop-2'), detached('shop-4', lsn('0/3000060'))], { quorums: [quorum(1, ['shop-2'])] }),
    { winner: 'shop-4' },
  ],
  [
    'chooses the forced replica even if commits are lost',
    electing([detached('shop-2'), detached('shop-4', lsn('0/3000060'))], {
      quorums: [quorum(1)],
      timeline: 2,
      forcedPrimary: 'shop-2',
    }),
    { winner: 'shop-2' },
  ],
  [
    'ignores a forced instance that cannot be promoted',
    electing([detached('shop-2'), unreachable('shop-3')], { quorums: [quorum(1)], forcedPrimary: 'shop-3' }),
    { why: missing },
  ],
];

describe('elect', () => {
  it.each(rows)('%s', (_, observed, result) => {
    expect(elect(observed)).toEqual(result);
  });
});
