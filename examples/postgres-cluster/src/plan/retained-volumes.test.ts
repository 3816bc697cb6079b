import { describe, expect, it } from 'vitest';
import type { ObservedInstance } from './observed-cluster.ts';
import { electAmongVolumes } from './retained-volumes.ts';
import { cluster, detached, stopped, unreachable } from './testdata/observed.ts';

const formerPrimary = (name: string, rest: object = {}) =>
  stopped(name, { report: { data: 'primary', systemID: '7', ...rest } });
const standby = (name: string, rest: object = {}) =>
  detached(name, { report: { data: 'standby', systemID: '7', ...rest } });
const empty = (name: string) => stopped(name, { report: { data: 'empty' } });
const unusable = (name: string) =>
  stopped(name, { report: { data: 'unusable', message: 'a rewind was interrupted', state: 'failed' } });
const ahead = { receivedLSN: '0/9000000' };

describe('electAmongVolumes', () => {
  it.each<[string, readonly ObservedInstance[], object]>([
    ['chooses a new instance if all volumes are gone', [], { winner: 'shop-4' }],
    ['chooses the only volume', [formerPrimary('shop-1')], { winner: 'shop-1' }],
    [
      'waits for an instance that has not read its volume',
      [formerPrimary('shop-1'), unreachable('shop-2')],
      { why: 'waiting for shop-2 to report the state of the data' },
    ],
    [
      'prefers a primary over standbys on the same timeline',
      [standby('shop-1', ahead), formerPrimary('shop-2')],
      { winner: 'shop-2' },
    ],
    [
      'prefers a standby on a newer timeline over a former primary',
      [formerPrimary('shop-1'), standby('shop-2', { timeline: 2 })],
      { winner: 'shop-2' },
    ],
    [
      'prefers a primary on a newer timeline over a former primary',
      [formerPrimary('shop-1'), formerPrimary('shop-2', { timeline: 2 }), standby('shop-3')],
      { winner: 'shop-2' },
    ],
    [
      'leaves the choice between two primaries on one timeline to the user',
      [formerPrimary('shop-1'), formerPrimary('shop-2')],
      {
        why: 'shop-1, shop-2 were all primaries on timeline 1; force the promotion of one, or delete the wrong volumes',
      },
    ],
    [
      'waits until all standbys accept connections before it compares them',
      [standby('shop-1'), standby('shop-2', { state: 'starting' })],
      { why: 'waiting for shop-2 to accept connections' },
    ],
    [
      'waits for a standby that is still replaying WAL, because it has more WAL than it reports',
      [standby('shop-1'), standby('shop-2', { isAtEnd: false })],
      { why: 'waiting for shop-2 to accept connections' },
    ],
    ['chooses the standby with the most WAL', [standby('shop-1'), standby('shop-2', ahead)], { winner: 'shop-2' }],
    [
      'chooses no volume if the volumes belong to different database systems',
      [formerPrimary('shop-1'), standby('shop-2', { systemID: '8' })],
      { why: 'the volumes of shop-1, shop-2 have different system identifiers; delete the wrong volumes' },
    ],
    [
      'ignores unusable and empty volumes if another volume has data',
      [unusable('shop-1'), empty('shop-2'), formerPrimary('shop-3')],
      { winner: 'shop-3' },
    ],
    [
      'reports unusable data if no other volume has data',
      [empty('shop-1'), unusable('shop-2')],
      { why: 'the data of shop-2 cannot be used: a rewind was interrupted' },
    ],
    ['chooses the first instance if all volumes are empty', [empty('shop-1'), empty('shop-2')], { winner: 'shop-1' }],
  ])('%s', (_, members, result) => {
    const observed = cluster({ targetPrimary: '', currentPrimary: undefined, timeline: undefined, members });
    expect(electAmongVolumes(observed)).toEqual(result);
  });

  it('lets the user force an instance only if it has read its volume', () => {
    const members = [formerPrimary('shop-1'), formerPrimary('shop-2'), unreachable('shop-3')];
    const electing = (forcedPrimary: string) =>
      electAmongVolumes(cluster({ targetPrimary: '', currentPrimary: undefined, members, forcedPrimary }));
    expect(electing('shop-2')).toEqual({ winner: 'shop-2' });
    expect(electing('shop-3')).toEqual({ why: 'waiting for shop-3 to report the state of the data' });
  });
});
