import { describe, expect, it } from 'vitest';
import { type Replicas, synchronousStandbys } from './synchronous-standbys.ts';

const others = ['shop-3', 'shop-1'];
const both = ['shop-1', 'shop-3'];
const preferred = (synchronous: number) => ({ synchronous, durability: 'preferred' }) as const;

describe('synchronousStandbys', () => {
  it.each<[string, Parameters<typeof synchronousStandbys>[0], Partial<Replicas>, object]>([
    ['requires no confirmation by default', undefined, { connected: both }, { number: 0, names: both }],
    ['lists both connected replicas', { synchronous: 1 }, { connected: both }, { number: 1, names: both }],
    ['lists all replicas before any has connected', { synchronous: 1 }, {}, { number: 1, names: both }],
    [
      'leaves out a replica that has never connected',
      { synchronous: 1 },
      { connected: ['shop-3'] },
      { number: 1, names: ['shop-3'] },
    ],
    [
      'keeps a required replica that is disconnected',
      { synchronous: 1 },
      { connected: ['shop-3'], earlier: both },
      { number: 1, names: both },
    ],
    [
      'leaves out a removed replica',
      { synchronous: 1 },
      { connected: both, earlier: ['shop-1', 'shop-2'] },
      { number: 1, names: both },
    ],
    [
      'lists all replicas if too few have connected',
      { synchronous: 2 },
      { connected: ['shop-1'] },
      { number: 2, names: both },
    ],
    [
      'still requires confirmations if there is no replica',
      { synchronous: 2 },
      { others: [] },
      { number: 2, names: [] },
    ],
    [
      'with preferred durability, requires confirmations of both connected replicas',
      preferred(2),
      { connected: others },
      { number: 2, names: both },
    ],
    [
      'with preferred durability, requires no more confirmations than there are connected replicas',
      preferred(2),
      { connected: ['shop-3'] },
      { number: 1, names: ['shop-3'] },
    ],
    [
      'with preferred durability, requires no confirmation if no replica is connected',
      preferred(1),
      { earlier: both },
      { number: 0, names: [] },
    ],
  ])('%s', (_, replication, replicas, standbys) => {
    expect(synchronousStandbys(replication, { others, connected: [], earlier: [], ...replicas })).toEqual(standbys);
  });
});
