import { describe, expect, it } from 'vitest';
import type { MajorUpgrade } from '../api/v1/postgres-cluster.ts';
import {
  nextUpgradeStep,
  type ObservedUpgrade,
  stopForUpgrade,
  type UpgradeStep,
  upgradeObstacle,
} from './major-upgrade.ts';
import { cluster, detached, primary, replica } from './testdata/observed.ts';

const progress = (phase: MajorUpgrade['phase'], message?: string): MajorUpgrade => ({
  phase,
  from: '15',
  to: '17',
  startedAt: '2026-01-01T00:00:00Z',
  ...(message !== undefined && { message }),
});
const idle: ObservedUpgrade = { wanted: 15, current: 15, isStopped: false };
const wanted: ObservedUpgrade = { ...idle, wanted: 17 };
const running = { state: 'running', why: 'busy' } as const;
const succeeded = { state: 'succeeded', systemID: '8' } as const;
const failed = { state: 'failed', why: 'missing library' } as const;

describe('nextUpgradeStep', () => {
  it.each<[string, ObservedUpgrade, UpgradeStep]>([
    ['nothing to do', idle, { do: 'nothing' }],
    ['a cluster without data', { ...wanted, current: undefined }, { do: 'nothing' }],
    ['a higher version', wanted, { do: 'begin' }],
    ['a cluster that must not stop', { ...wanted, obstacle: 'fenced' }, { do: 'wait', why: 'fenced' }],
    ['the check begins', { ...wanted, progress: progress('Checking') }, { do: 'run' }],
    ['the check runs', { ...wanted, progress: progress('Checking'), job: running }, { do: 'wait', why: 'busy' }],
    ['the check fails', { ...wanted, progress: progress('Checking'), job: failed }, { do: 'fail', why: failed.why }],
    ['the check succeeds', { ...wanted, progress: progress('Checking'), job: succeeded }, { do: 'stop' }],
    [
      'a replica fails during the check',
      { ...wanted, progress: progress('Checking'), job: succeeded, obstacle: 'shop-2' },
      { do: 'wait', why: 'shop-2' },
    ],
    ['cancelled during the check', { ...idle, progress: progress('Checking'), job: running }, { do: 'cancel' }],
    ['cancelled after the check', { ...idle, progress: progress('Checking'), job: succeeded }, { do: 'forget' }],
    [
      'the servers stop',
      { ...wanted, progress: progress('Stopping') },
      { do: 'wait', why: 'waiting for all servers to stop' },
    ],
    ['the servers have stopped', { ...wanted, progress: progress('Stopping'), isStopped: true }, { do: 'upgrade' }],
    ['cancelled while the servers stop', { ...idle, progress: progress('Stopping') }, { do: 'forget' }],
    ['the upgrade begins', { ...wanted, progress: progress('Upgrading'), isStopped: true }, { do: 'run' }],
    [
      'a server runs again',
      { ...wanted, progress: progress('Upgrading') },
      { do: 'wait', why: 'waiting for all servers to stop' },
    ],
    ['the upgrade runs', { ...wanted, progress: progress('Upgrading'), job: running }, { do: 'wait', why: 'busy' }],
    ['the upgrade fails', { ...wanted, progress: progress('Upgrading'), job: failed }, { do: 'fail', why: failed.why }],
    [
      'the upgrade succeeds',
      { ...wanted, progress: progress('Upgrading'), job: succeeded },
      { do: 'complete', systemID: '8' },
    ],
    ['cancelled during the upgrade', { ...idle, progress: progress('Upgrading'), job: running }, { do: 'cancel' }],
    ['cancelled, and the Job is gone', { ...idle, progress: progress('Upgrading') }, { do: 'forget' }],
    [
      'cancelled too late',
      { ...idle, progress: progress('Upgrading'), job: succeeded },
      { do: 'complete', systemID: '8' },
    ],
    ['the old version is requested after a failure', { ...idle, progress: progress('Failed') }, { do: 'forget' }],
    ['another version after a failure', { ...wanted, wanted: 16, progress: progress('Failed') }, { do: 'begin' }],
  ])('%s', (_, upgrade, step) => {
    expect(nextUpgradeStep(upgrade)).toEqual(step);
  });

  it.each<[string, ObservedUpgrade, RegExp]>([
    ['a downgrade', { ...idle, wanted: 14 }, /cannot downgrade it to 14; set spec.version to 15/],
    ['an unknown version', { ...idle, wanted: 19 }, /from version 15 to 19 is not supported/],
    ['data of an unsupported version', { ...idle, current: 9, wanted: 17 }, /from version 9 to 17 is not supported/],
    [
      'a failed upgrade',
      { ...wanted, progress: progress('Failed', 'no disk') },
      /version 15 runs again: no disk; to retry, set/,
    ],
  ])('refuses %s', (_, upgrade, why) => {
    const step = nextUpgradeStep(upgrade);
    expect(step.do).toBe('refuse');
    expect('why' in step && step.why).toMatch(why);
  });
});

describe('upgradeObstacle', () => {
  it.each([
    ['a cluster that works', cluster(), undefined],
    ['a hibernated one', cluster({ isHibernated: true }), 'waiting until the cluster is no longer hibernated'],
    ['a fenced instance', cluster({ fenced: ['shop-2'] }), 'waiting until shop-2 is no longer fenced'],
    ['an election', cluster({ targetPrimary: '' }), 'waiting for a primary'],
    [
      'a replica that does not stream',
      cluster({ members: [primary('shop-1'), detached('shop-2')] }),
      'waiting for shop-2 to work',
    ],
  ])('%s', (_, observed, why) => {
    expect(upgradeObstacle(observed)).toBe(why);
  });
});

describe('stopForUpgrade', () => {
  const names = (members: Parameters<typeof cluster>[0]) => stopForUpgrade(cluster(members)).map(({ name }) => name);

  it('stops the primary first, so that the replicas receive all its WAL', () => {
    expect(names({})).toEqual(['shop-1']);
    const stopping = primary('shop-1', { pod: { isDeleting: true } });
    expect(names({ members: [stopping, replica('shop-2')] })).toEqual([]);
    expect(names({ members: [primary('shop-1', { pod: null }), replica('shop-2'), replica('shop-3')] })).toEqual([
      'shop-2',
      'shop-3',
    ]);
  });
});
