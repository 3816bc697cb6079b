import { describe, expect, it } from 'vitest';
import type { ObservedInstance } from './observed-cluster.ts';
import { electAmongVolumes } from './retained-volumes.ts';
import { cluster, detached, silent, stopped } from './testdata/observed.ts';

const former = (name: string, rest: object = {}) =>
  stopped(name, { report: { data: 'primary', systemID: '7', ...rest } });
const standby = (name: string, rest: object = {}) =>
  detached(name, { report: { data: 'standby', systemID: '7', ...rest } });
const empty = (name: string) => stopped(name, { report: { data: 'empty' } });
const unusable = (name: string) =>
  stopped(name, { report: { data: 'unusable', message: 'a rewind was interrupted', state: 'failed' } });
const ahead = { receivedLSN: '0/9000000' };

describe('electAmongVolumes', () => {
  it.each<[string, readonly ObservedInstance[], object]>([
    ['all volumes are gone', [], { winner: 'shop-4' }],
    ['the only volume is a primary', [former('shop-1')], { winner: 'shop-1' }],
    [
      'an instance has not read its volume',
      [former('shop-1'), silent('shop-2')],
      { why: 'waiting for the data of shop-2' },
    ],
    [
      'a primary outweighs standbys of its timeline',
      [standby('shop-1', ahead), former('shop-2')],
      { winner: 'shop-2' },
    ],
    [
      'a standby of a newer timeline outweighs a former primary',
      [former('shop-1'), standby('shop-2', { timeline: 2 })],
      { winner: 'shop-2' },
    ],
    [
      'a primary of a newer timeline outweighs a former one',
      [former('shop-1'), former('shop-2', { timeline: 2 }), standby('shop-3')],
      { winner: 'shop-2' },
    ],
    [
      'two primaries of one timeline are for the user to compare',
      [former('shop-1'), former('shop-2')],
      { why: 'shop-1, shop-2 were all primaries on timeline 1; force one, or delete the wrong volumes' },
    ],
    [
      'standbys are compared when all of them run',
      [standby('shop-1'), standby('shop-2', { state: 'starting' })],
      { why: 'waiting for shop-2 to accept connections' },
    ],
    [
      'a standby that still replays has more WAL than it reports',
      [standby('shop-1'), standby('shop-2', { isAtEnd: false })],
      { why: 'waiting for shop-2 to accept connections' },
    ],
    ['the standby with the most WAL wins', [standby('shop-1'), standby('shop-2', ahead)], { winner: 'shop-2' }],
    [
      'data of another database system',
      [former('shop-1'), standby('shop-2', { systemID: '8' })],
      { why: 'shop-1, shop-2 belong to different database systems; delete the wrong volumes' },
    ],
    [
      'unusable and empty volumes are replaced later',
      [unusable('shop-1'), empty('shop-2'), former('shop-3')],
      { winner: 'shop-3' },
    ],
    [
      'nothing but unusable data',
      [empty('shop-1'), unusable('shop-2')],
      { why: 'shop-2 cannot be used: a rewind was interrupted' },
    ],
    ['nothing was ever created', [empty('shop-1'), empty('shop-2')], { winner: 'shop-1' }],
  ])('%s', (_, members, result) => {
    const observed = cluster({ targetPrimary: '', currentPrimary: undefined, timeline: undefined, members });
    expect(electAmongVolumes(observed)).toEqual(result);
  });

  it('lets a user choose, but only an instance that has read its volume', () => {
    const members = [former('shop-1'), former('shop-2'), silent('shop-3')];
    const electing = (forcedPrimary: string) =>
      electAmongVolumes(cluster({ targetPrimary: '', currentPrimary: undefined, members, forcedPrimary }));
    expect(electing('shop-2')).toEqual({ winner: 'shop-2' });
    expect(electing('shop-3')).toEqual({ why: 'waiting for the data of shop-3' });
  });
});
