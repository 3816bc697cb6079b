import { describe, expect, it } from 'vitest';
import type { ObservedCluster } from './observed-cluster.ts';
import { nextRolloutStep, primaryUpdate } from './rollout.ts';
import { cluster, detached, primary, replica, unreachable } from './testdata/observed.ts';

const pending = { report: { pendingRestart: true } };
const lowered = { report: { pendingRestart: true, lowersSetting: true } };
const outdated = { pod: { isOutdated: true } };
const restarts = (name: string) => ({ do: 'restart', name, why: 'a changed setting needs a restart' });
const recreates = (name: string) => ({ do: 'recreate', name, why: 'the image or the pod spec changed' });
const waitsFor = (names: string) => ({ do: 'wait', why: `waiting for ${names} to recover before the next restart` });
const waitsForUser = {
  do: 'wait',
  needsUser: true,
  why: 'the primary shop-1 needs a restart; request a switchover, or set spec.updates to unsupervised',
};

type Row = [what: string, observed: Partial<ObservedCluster>, step: object | undefined];
const rows: Row[] = [
  ['does nothing if no instance is due', {}, undefined],
  [
    'for a raised setting, restarts the replica with the highest number first',
    { members: [primary('shop-1', pending), replica('shop-2', pending), replica('shop-3', pending)] },
    restarts('shop-3'),
  ],
  [
    'for a raised setting, restarts the other replicas before the primary',
    { members: [primary('shop-1', pending), replica('shop-2', pending), replica('shop-3')] },
    restarts('shop-2'),
  ],
  [
    'for a raised setting, leaves the primary to a switchover once the replicas have restarted',
    { members: [primary('shop-1', pending), replica('shop-2'), replica('shop-3')] },
    undefined,
  ],
  [
    'for a lowered setting, restarts the primary first, in place',
    { members: [primary('shop-1', lowered), replica('shop-2', lowered), replica('shop-3', lowered)] },
    restarts('shop-1'),
  ],
  [
    'for a lowered setting, restarts the replicas after the primary',
    { members: [primary('shop-1'), replica('shop-2', pending), replica('shop-3', pending)] },
    restarts('shop-3'),
  ],
  [
    'for a lowered setting, waits for the user if updates are supervised',
    { members: [primary('shop-1', lowered), replica('shop-2', lowered)], updates: 'supervised' },
    waitsForUser,
  ],
  [
    'waits while another instance does not work',
    { members: [primary('shop-1', pending), replica('shop-2', pending), detached('shop-3')] },
    waitsFor('shop-3'),
  ],
  [
    'recreates an outdated replica first if it does not work',
    { members: [primary('shop-1', outdated), replica('shop-2', outdated), unreachable('shop-3', outdated)] },
    recreates('shop-3'),
  ],
  [
    'waits while two replicas do not work',
    { members: [primary('shop-1', outdated), unreachable('shop-2', outdated), unreachable('shop-3', outdated)] },
    waitsFor('shop-2, shop-3'),
  ],
  [
    'for a new image, recreates the replicas first',
    { members: [primary('shop-1', outdated), replica('shop-2', outdated), replica('shop-3', outdated)] },
    recreates('shop-3'),
  ],
  [
    'does not wait for a fenced replica',
    { members: [primary('shop-1'), replica('shop-2', pending), detached('shop-3')], fenced: ['shop-3'] },
    restarts('shop-2'),
  ],
  ['restarts a single instance in place', { members: [primary('shop-1', pending)] }, restarts('shop-1')],
  ['recreates a single instance for a new image', { members: [primary('shop-1', outdated)] }, recreates('shop-1')],
  [
    'waits for the user before it restarts the primary if updates are supervised',
    { members: [primary('shop-1', pending), replica('shop-2')], updates: 'supervised' },
    waitsForUser,
  ],
  ['does nothing during an election', { targetPrimary: '', members: [primary('shop-1', pending)] }, undefined],
  [
    'does nothing while the cluster is hibernated',
    { isHibernated: true, members: [primary('shop-1', pending)] },
    undefined,
  ],
];

describe('nextRolloutStep', () => {
  it.each(rows)('%s', (_, observed, step) => {
    expect(nextRolloutStep(cluster(observed))).toEqual(step);
  });
});

describe('primaryUpdate', () => {
  it.each<[string, Partial<ObservedCluster>, string]>([
    ['is none if no instance is due', {}, 'none'],
    [
      'is none while a replica is due, too',
      { members: [primary('shop-1', pending), replica('shop-2', pending)] },
      'none',
    ],
    [
      'is a switchover if a replica can take over',
      { members: [primary('shop-1', pending), replica('shop-2')] },
      'switchover',
    ],
    [
      'is in place for a lowered setting',
      { members: [primary('shop-1', lowered), replica('shop-2', lowered)] },
      'in place',
    ],
    ['is in place for a single instance', { members: [primary('shop-1', pending)] }, 'in place'],
    [
      'is supervised if updates are supervised',
      { updates: 'supervised', members: [primary('shop-1', pending)] },
      'supervised',
    ],
  ])('%s', (_, observed, update) => {
    expect(primaryUpdate(cluster(observed), 'shop-1')).toBe(update);
  });
});
