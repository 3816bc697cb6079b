import { describe, expect, it } from 'vitest';
import { type Replicas, synchronousStandbys } from './synchronous-standbys.ts';

const others = ['shop-3', 'shop-1'];
const both = ['shop-1', 'shop-3'];
const preferred = (synchronous: number) => ({ synchronous, durability: 'preferred' }) as const;

describe('synchronousStandbys', () => {
  it.each<[string, Parameters<typeof synchronousStandbys>[0], Partial<Replicas>, object]>([
    ['asynchronous by default', undefined, { connected: both }, { number: 0, names: both }],
    ['required, with both', { synchronous: 1 }, { connected: both }, { number: 1, names: both }],
    ['required, before any has connected', { synchronous: 1 }, {}, { number: 1, names: both }],
    [
      'required, and one has never connected',
      { synchronous: 1 },
      { connected: ['shop-3'] },
      { number: 1, names: ['shop-3'] },
    ],
    [
      'required, and one is disconnected',
      { synchronous: 1 },
      { connected: ['shop-3'], earlier: both },
      { number: 1, names: both },
    ],
    [
      'required, and one was removed',
      { synchronous: 1 },
      { connected: both, earlier: ['shop-1', 'shop-2'] },
      { number: 1, names: both },
    ],
    [
      'required, with too few that have connected',
      { synchronous: 2 },
      { connected: ['shop-1'] },
      { number: 2, names: both },
    ],
    ['required, with none', { synchronous: 2 }, { others: [] }, { number: 2, names: [] }],
    ['preferred, with both', preferred(2), { connected: others }, { number: 2, names: both }],
    ['preferred, with one', preferred(2), { connected: ['shop-3'] }, { number: 1, names: ['shop-3'] }],
    ['preferred, with none', preferred(1), { earlier: both }, { number: 0, names: [] }],
  ])('%s', (_, replication, replicas, standbys) => {
    expect(synchronousStandbys(replication, { others, connected: [], earlier: [], ...replicas })).toEqual(standbys);
  });
});
