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
  [
    'changes nothing if the wanted quorum is applied and published',
    { applied: bc },
    { published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc } },
  ],
  [
    'ignores the order of names',
    { applied: bc },
    { wanted: standbys(1, 'c', 'b'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc } },
  ],
  [
    'replaces the quorum in one step when a replica is added, because earlier commits satisfy the new quorum',
    { applied: bc },
    { wanted: standbys(1, 'b', 'c', 'd'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: standbys(1, 'b', 'c', 'd') }, publish: [quorum(1, 'b', 'c', 'd')] },
  ],
  [
    'replaces the quorum in one step when fewer confirmations are wanted, because earlier commits satisfy the new quorum',
    { applied: standbys(2, 'b', 'c') },
    { published: [quorum(2, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c')] },
  ],
  [
    'publishes both quorums first when a replica is removed',
    { applied: bc },
    { wanted: standbys(1, 'b'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c'), quorum(1, 'b')] },
  ],
  [
    'publishes both quorums first when more confirmations are wanted',
    { applied: bc },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c')] },
    { state: { applied: bc }, publish: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
  ],
  [
    'holds commits once both quorums are published',
    { applied: bc },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: hold } },
  ],
  [
    'continues to hold commits while a replica may still confirm some',
    { applied: hold },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: hold } },
  ],
  [
    'applies the new quorum once no replica can confirm held commits',
    { applied: hold },
    {
      wanted: standbys(2, 'b', 'c'),
      published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')],
      replication: unconfirmed,
    },
    { state: { applied: standbys(2, 'b', 'c') } },
  ],
  [
    'continues to hold commits if another quorum is wanted in the meantime',
    { applied: hold },
    { wanted: standbys(1, 'b', 'd'), published: [quorum(1, 'b', 'c'), quorum(1, 'b')], replication: unconfirmed },
    { state: { applied: hold }, publish: [quorum(1, 'b', 'c'), quorum(1, 'b', 'd')] },
  ],
  [
    'records the end of the WAL once the new quorum has taken effect',
    { applied: standbys(2, 'b', 'c') },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: standbys(2, 'b', 'c'), since: '0/5000000' } },
  ],
  [
    'keeps the old quorum while a replica lacks earlier WAL',
    { applied: standbys(2, 'b', 'c'), since: '0/5000000' },
    { wanted: standbys(2, 'b', 'c'), published: [quorum(1, 'b', 'c'), quorum(2, 'b', 'c')] },
    { state: { applied: standbys(2, 'b', 'c'), since: '0/5000000' } },
  ],
  [
    'withdraws the old quorum once the replicas have all earlier WAL',
    { applied: standbys(1, 'b'), since: '0/5000000' },
    { wanted: standbys(1, 'b'), published: [quorum(1, 'b', 'c'), quorum(1, 'b')] },
    { state: { applied: standbys(1, 'b'), since: '0/5000000' }, publish: [quorum(1, 'b')] },
  ],
  [
    'ignores replicas that are not in the quorum or do not stream',
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
