import { describe, expect, it } from 'vitest';
import type { ObservedCluster } from './observed-cluster.ts';
import { nextRolloutStep, primaryUpdate } from './rollout.ts';
import { cluster, detached, primary, replica, silent } from './testdata/observed.ts';

const pending = { report: { pendingRestart: true } };
const lowered = { report: { pendingRestart: true, lowersSetting: true } };
const outdated = { pod: { isOutdated: true } };
const restarts = (name: string) => ({ do: 'restart', name, why: 'a changed setting needs a restart' });
const recreates = (name: string) => ({ do: 'recreate', name, why: 'its pod is outdated' });
const waitsFor = (names: string) => ({ do: 'wait', why: `waiting for ${names} before the next restart` });
const waitsForUser = {
  do: 'wait',
  needsUser: true,
  why: 'shop-1 needs a restart; request another primary, or set updates to unsupervised',
};

type Row = [what: string, observed: Partial<ObservedCluster>, step: object | undefined];
const rows: Row[] = [
  ['nothing is due', {}, undefined],
  [
    'a raised setting: replicas first, the highest number first',
    { members: [primary('shop-1', pending), replica('shop-2', pending), replica('shop-3', pending)] },
    restarts('shop-3'),
  ],
  [
    'a raised setting: the next replica',
    { members: [primary('shop-1', pending), replica('shop-2', pending), replica('shop-3')] },
    restarts('shop-2'),
  ],
  [
    'a raised setting: the primary hands over first',
    { members: [primary('shop-1', pending), replica('shop-2'), replica('shop-3')] },
    undefined,
  ],
  [
    'a lowered setting: the primary first, in place',
    { members: [primary('shop-1', lowered), replica('shop-2', lowered), replica('shop-3', lowered)] },
    restarts('shop-1'),
  ],
  [
    'a lowered setting: then the replicas',
    { members: [primary('shop-1'), replica('shop-2', pending), replica('shop-3', pending)] },
    restarts('shop-3'),
  ],
  [
    'a lowered setting, and a user decides',
    { members: [primary('shop-1', lowered), replica('shop-2', lowered)], updates: 'supervised' },
    waitsForUser,
  ],
  [
    'one instance at a time',
    { members: [primary('shop-1', pending), replica('shop-2', pending), detached('shop-3')] },
    waitsFor('shop-3'),
  ],
  [
    'an outdated replica that does not work comes first',
    { members: [primary('shop-1', outdated), replica('shop-2', outdated), silent('shop-3', outdated)] },
    recreates('shop-3'),
  ],
  [
    'two replicas do not work',
    { members: [primary('shop-1', outdated), silent('shop-2', outdated), silent('shop-3', outdated)] },
    waitsFor('shop-2, shop-3'),
  ],
  [
    'a new image: replicas first',
    { members: [primary('shop-1', outdated), replica('shop-2', outdated), replica('shop-3', outdated)] },
    recreates('shop-3'),
  ],
  [
    'a fenced replica does not delay the others',
    { members: [primary('shop-1'), replica('shop-2', pending), detached('shop-3')], fenced: ['shop-3'] },
    restarts('shop-2'),
  ],
  ['a single instance restarts in place', { members: [primary('shop-1', pending)] }, restarts('shop-1')],
  ['a single instance with a new image', { members: [primary('shop-1', outdated)] }, recreates('shop-1')],
  [
    'a user decides when the primary restarts',
    { members: [primary('shop-1', pending), replica('shop-2')], updates: 'supervised' },
    waitsForUser,
  ],
  ['nothing during an election', { targetPrimary: '', members: [primary('shop-1', pending)] }, undefined],
  ['nothing while hibernated', { isHibernated: true, members: [primary('shop-1', pending)] }, undefined],
];

describe('nextRolloutStep', () => {
  it.each(rows)('%s', (_, observed, step) => {
    expect(nextRolloutStep(cluster(observed))).toEqual(step);
  });
});

describe('primaryUpdate', () => {
  it.each<[string, Partial<ObservedCluster>, string]>([
    ['none is due', {}, 'none'],
    ['replicas are due', { members: [primary('shop-1', pending), replica('shop-2', pending)] }, 'none'],
    ['a replica could take over', { members: [primary('shop-1', pending), replica('shop-2')] }, 'switchover'],
    ['a setting gets lower', { members: [primary('shop-1', lowered), replica('shop-2', lowered)] }, 'in place'],
    ['it is alone', { members: [primary('shop-1', pending)] }, 'in place'],
    ['a user decides', { updates: 'supervised', members: [primary('shop-1', pending)] }, 'supervised'],
  ])('%s', (_, observed, update) => {
    expect(primaryUpdate(cluster(observed), 'shop-1')).toBe(update);
  });
});
