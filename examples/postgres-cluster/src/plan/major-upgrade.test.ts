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
    ['does nothing if the data has the requested version', idle, { do: 'nothing' }],
    ['does nothing in a cluster without data', { ...wanted, current: undefined }, { do: 'nothing' }],
    ['begins if a higher version is requested', wanted, { do: 'begin' }],
    ['waits while the servers must not be stopped', { ...wanted, obstacle: 'fenced' }, { do: 'wait', why: 'fenced' }],
    ['creates the Job of the check', { ...wanted, progress: progress('Checking') }, { do: 'run' }],
    [
      'waits while the check runs',
      { ...wanted, progress: progress('Checking'), job: running },
      { do: 'wait', why: 'busy' },
    ],
    [
      'fails if the check fails',
      { ...wanted, progress: progress('Checking'), job: failed },
      { do: 'fail', why: failed.why },
    ],
    [
      'stops the servers once the check has succeeded',
      { ...wanted, progress: progress('Checking'), job: succeeded },
      { do: 'stop' },
    ],
    [
      'waits after the check while a replica does not work',
      { ...wanted, progress: progress('Checking'), job: succeeded, obstacle: 'shop-2' },
      { do: 'wait', why: 'shop-2' },
    ],
    [
      'cancels a running check if the old version is requested',
      { ...idle, progress: progress('Checking'), job: running },
      { do: 'cancel' },
    ],
    [
      'clears the progress if the old version is requested after the check',
      { ...idle, progress: progress('Checking'), job: succeeded },
      { do: 'forget' },
    ],
    [
      'waits while the servers are stopping',
      { ...wanted, progress: progress('Stopping') },
      { do: 'wait', why: 'waiting for all servers to stop' },
    ],
    [
      'starts the upgrade once all servers have stopped',
      { ...wanted, progress: progress('Stopping'), isStopped: true },
      { do: 'upgrade' },
    ],
    [
      'clears the progress if the old version is requested while the servers are stopping',
      { ...idle, progress: progress('Stopping') },
      { do: 'forget' },
    ],
    ['creates the Job of the upgrade', { ...wanted, progress: progress('Upgrading'), isStopped: true }, { do: 'run' }],
    [
      'does not create the Job of the upgrade while a server has a pod',
      { ...wanted, progress: progress('Upgrading') },
      { do: 'wait', why: 'waiting for all servers to stop' },
    ],
    [
      'waits while the upgrade runs',
      { ...wanted, progress: progress('Upgrading'), job: running },
      { do: 'wait', why: 'busy' },
    ],
    [
      'fails if the upgrade fails',
      { ...wanted, progress: progress('Upgrading'), job: failed },
      { do: 'fail', why: failed.why },
    ],
    [
      'completes a successful upgrade',
      { ...wanted, progress: progress('Upgrading'), job: succeeded },
      { do: 'complete', systemID: '8' },
    ],
    [
      'cancels a running upgrade if the old version is requested',
      { ...idle, progress: progress('Upgrading'), job: running },
      { do: 'cancel' },
    ],
    [
      'clears the progress of a canceled upgrade once its Job is gone',
      { ...idle, progress: progress('Upgrading') },
      { do: 'forget' },
    ],
    [
      'completes a successful upgrade even if the old version is requested',
      { ...idle, progress: progress('Upgrading'), job: succeeded },
      { do: 'complete', systemID: '8' },
    ],
    [
      'clears a failed upgrade once the old version is requested',
      { ...idle, progress: progress('Failed') },
      { do: 'forget' },
    ],
    [
      'begins if another version is requested after a failure',
      { ...wanted, wanted: 16, progress: progress('Failed') },
      { do: 'begin' },
    ],
  ])('%s', (_, upgrade, step) => {
    expect(nextUpgradeStep(upgrade)).toEqual(step);
  });

  it.each<[string, ObservedUpgrade, RegExp]>([
    ['a downgrade', { ...idle, wanted: 14 }, /cannot downgrade it to 14; set spec.version to 15/],
    ['a version that is not supported', { ...idle, wanted: 19 }, /from version 15 to 19 is not supported/],
    [
      'data whose version is not supported',
      { ...idle, current: 9, wanted: 17 },
      /from version 9 to 17 is not supported/,
    ],
    [
      'the version of a failed upgrade',
      { ...wanted, progress: progress('Failed', 'no disk') },
      /version 15 runs again: no disk; to retry, set/,
    ],
  ])('rejects %s', (_, upgrade, why) => {
    const step = nextUpgradeStep(upgrade);
    expect(step.do).toBe('reject');
    expect('why' in step && step.why).toMatch(why);
  });
});

describe('upgradeObstacle', () => {
  it.each([
    ['is undefined if all instances work', cluster(), undefined],
    ['reports hibernation', cluster({ isHibernated: true }), 'waiting until the cluster is no longer hibernated'],
    ['reports a fenced instance', cluster({ fenced: ['shop-2'] }), 'waiting until shop-2 is no longer fenced'],
    ['reports a missing primary during an election', cluster({ targetPrimary: '' }), 'waiting for a primary'],
    [
      'reports a replica that does not stream',
      cluster({ members: [primary('shop-1'), detached('shop-2')] }),
      'waiting for shop-2 to be ready',
    ],
  ])('%s', (_, observed, why) => {
    expect(upgradeObstacle(observed)).toBe(why);
  });
});

describe('stopForUpgrade', () => {
  const names = (observed: Parameters<typeof cluster>[0]) => stopForUpgrade(cluster(observed)).map(({ name }) => name);

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
