import { describe, expect, it } from 'vitest';
import { hold, type QuorumInput, type QuorumState, quorumStep } from './quorum-step.ts';

const standbys = (number: number, ...names: string[]) => ({ number, names });
const quorum = (standbyNumber: number, ...standbyNames: string[]) => ({ standbyNumber, standbyNames });
const at = (name: string, flushLSN: string, state = 'streaming') =>
  ({ name, state, sync: 'quorum', flushLSN }) as const;
const replicas = [at('b', '0/5000000'), at('c', '0/4000000')];
const replication = { lsn: '0/5000000', replicas, isUnconfirmed: false };
const unconfirmed = { ...replication, isUnconfirmed: true };

type Row = [what: string, state: QuorumState, input: Partial<QuorumInput>, result: object];
const bc = standbys(1, 'b', 'c');
const rows: Row[] = [
  ['nothing changes', { applied: bc }, { published: [quorum(1, 'b', 'c')] }, { state: { applied: bc } }],
  [
    'the order of names does not matter',
    { applied: bc },
    { wanted: standbys(1, 'c', 'b'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc } },
  ],
  [
    'a further replica: old commits fulfil the new quorum',
    { applied: bc },
    { wanted: standbys(1, 'b', 'c', 'd'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: standbys(1, 'b', 'c', 'd') }, publish: [quorum(1, 'b', 'c', 'd')] },
  ],
  [
    'fewer confirmations: old commits fulfil the new quorum',
    { applied: standbys(2, 'b', 'c') },
    { published: [quorum(2, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c')] },
  ],
  [
    'a replica is removed: both quorums are published first',
    { applied: bc },
    { wanted: standbys(1, 'b'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c'), quorum(1, 'b')] },
  ],
  [
    'more confirmations: both quorums are published first',
    { applied: bc },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
  ],
  [
    'both are published: commits are held',
    { applied: bc },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: hold } },
  ],
  [
    'commits are held, and a replica may still confirm',
    { applied: hold },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: hold } },
  ],
  [
    'no replica can confirm commits: the new quorum takes effect',
    { applied: hold },
    {
      wanted: standbys(2, 'b', 'c'),
      published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')],
      replication: unconfirmed,
    },
    { state: { applied: standbys(2, 'b', 'c') } },
  ],
  [
    'another quorum is wanted while commits are held: they stay held',
    { applied: hold },
    { wanted: standbys(1, 'b', 'd'), published: [quorum(1, 'b', 'c'), quorum(1, 'b')], replication: unconfirmed },
    { state: { applied: hold }, publish: [quorum(1, 'b', 'c'), quorum(1, 'b', 'd')] },
  ],
  [
    'the new quorum is in effect: notes up to where commits may be missing',
    { applied: standbys(2, 'b', 'c') },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: standbys(2, 'b', 'c'), since: '0/5000000' } },
  ],
  [
    'a replica lacks earlier WAL: the old quorum stays',
    { applied: standbys(2, 'b', 'c'), since: '0/5000000' },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: standbys(2, 'b', 'c'), since: '0/5000000' } },
  ],
  [
    'the replicas have all earlier WAL: the old quorum is withdrawn',
    { applied: standbys(1, 'b'), since: '0/5000000' },
    { wanted: standbys(1, 'b'), published: [quorum(1, 'b', 'c'), quorum(1, 'b')] },
    { state: { applied: standbys(1, 'b'), since: '0/5000000' }, publish: [quorum(1, 'b')] },
  ],
  [
    'other replicas, and those that do not stream, do not count',
    { applied: standbys(1, 'b'), since: '0/5000000' },
    {
      wanted: standbys(1, 'b'),
      published: [quorum(1, 'b', 'c'), quorum(1, 'b')],
      replication: { ...replication, replicas: [at('b', '0/5000000', 'catchup'), at('c', '0/5000000')] },
    },
    { state: { applied: standbys(1, 'b'), since: '0/5000000' } },
  ],
];

describe('quorumStep', () => {
  it.each(rows)('%s', (_, state, input, result) => {
    expect(quorumStep(state, { wanted: bc, published: [], replication, ...input })).toEqual(result);
  });
});
