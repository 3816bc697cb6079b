import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { choosePrimary } from '../plan/choose-primary.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { nextRolloutStep } from '../plan/rollout.ts';
import { cluster as observe, primary, replica, unreachable } from '../plan/testdata/observed.ts';
import { clusterConditions, clusterStatus, type Decisions } from './cluster-status.ts';

const shop = PostgresCluster({
  metadata: { name: 'shop', namespace: 'default' },
  spec: { instances: 3, storage: { size: '1Gi' }, backup: { volume: { claimName: 'archive' } } },
}) as Stored<PostgresCluster>;

/** Returns the phase, the status and message of Ready, and the status of Reconciling. */
function state(rest: Partial<ObservedCluster>, primaryDecision: Decisions['primary'] = { do: 'keep' }) {
  const observed = observe(rest);
  const decisions: Decisions = {
    primary: primaryDecision,
    scale: [],
    foreign: [],
    upgrade: { do: 'nothing' },
    rollout: nextRolloutStep(observed),
  };
  const conditions = clusterConditions(shop, { observed, decisions, failures: [] });
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const { status, message } = find('Ready') ?? {};
  return [
    clusterStatus(shop, { observed, decisions, created: [] }).phase,
    status,
    message,
    find('Reconciling')?.status,
  ];
}

const healthy = 'Cluster in healthy state';
const working = [replica('shop-2'), replica('shop-3')];
const archive = (message?: string) => ({
  lastArchivedTime: '2026-01-01T00:00:00Z',
  lastFailed: '000000010000000000000002',
  lastFailedTime: '2026-01-01T00:01:00Z',
  ...(message !== undefined && { message }),
});
const mismatch = 'the instances have different system identifiers: 1, 2; delete the volumes of the wrong instances';
const systems = [replica('shop-2', { report: { systemID: '2' } }), replica('shop-3', { report: { systemID: '1' } })];

describe('clusterStatus', () => {
  it.each<[string, Partial<ObservedCluster>, unknown[]]>([
    ['is healthy and Ready while all instances work', {}, [healthy, 'True', '', undefined]],
    [
      'is healthy but not Ready if archiving fails',
      { members: [primary('shop-1', { report: { archive: archive('the bucket does not exist') } }), ...working] },
      [healthy, 'False', 'the bucket does not exist', 'True'],
    ],
    [
      'names the WAL file if archiving fails for an unknown reason',
      { members: [primary('shop-1', { report: { archive: archive() } }), ...working] },
      [healthy, 'False', 'cannot archive 000000010000000000000002', 'True'],
    ],
    [
      'is not Ready if the instances belong to different database systems',
      { members: [primary('shop-1', { report: { systemID: '1' } }), ...systems] },
      [healthy, 'False', mismatch, 'True'],
    ],
    [
      'reports both problems if the database systems differ and archiving fails',
      { members: [primary('shop-1', { report: { systemID: '1', archive: archive('no bucket') } }), ...systems] },
      [healthy, 'False', `${mismatch}; no bucket`, 'True'],
    ],
    [
      'names an instance that cannot be reached',
      { members: [primary('shop-1'), replica('shop-2'), unreachable('shop-3')] },
      [
        'Waiting for the instances to become active',
        'False',
        'Waiting for the instances to become active: shop-3',
        'True',
      ],
    ],
    [
      'waits for the user if a supervised primary needs a restart',
      { updates: 'supervised', members: [primary('shop-1', { report: { pendingRestart: true } }), ...working] },
      [
        'Waiting for user action',
        'False',
        'Waiting for user action: the primary shop-1 needs a restart; request a switchover, or set spec.updates to unsupervised',
        undefined,
      ],
    ],
    [
      'does not mistake an instance named "updates" for supervised updates',
      {
        name: 'updates',
        currentPrimary: 'updates-1',
        targetPrimary: 'updates-1',
        members: [primary('updates-1', { report: { pendingRestart: true } }), unreachable('updates-2')],
      },
      [
        'Updating instances',
        'False',
        'Updating instances: waiting for updates-2 to recover before the next restart',
        'True',
      ],
    ],
  ])('%s', (_, observed, expected) => {
    expect(state(observed)).toEqual(expected);
  });

  it('reports why a switchover is delayed', () => {
    const delayed = { do: 'keep', phase: 'Switchover delayed', why: 'a replica is missing' } as const;
    expect(state({}, delayed)).toEqual([
      'Switchover delayed',
      'False',
      'Switchover delayed: a replica is missing',
      'True',
    ]);
  });
});

describe('the status of a failed switchover', () => {
  const before = {
    instance: 'shop-1',
    message: 'the server of shop-1 did not stop cleanly',
    count: 1,
    time: '2026-01-01T00:00:00Z',
  };
  const failure = (observed: Partial<ObservedCluster>, primaryDecision: Decisions['primary']) => {
    const decisions: Decisions = {
      primary: primaryDecision,
      scale: [],
      foreign: [],
      upgrade: { do: 'nothing' },
      rollout: undefined,
    };
    return clusterStatus(shop, { observed: observe(observed), decisions, created: [] }).switchoverFailure;
  };

  it('is recorded when the former primary becomes the primary again', () => {
    const returns = { do: 'appoint', name: 'shop-1', phase: '', why: 'shop-2 lacks the last WAL of shop-1' } as const;
    expect(failure({ switchoverFailure: before }, returns)).toEqual(before);
    expect(failure({ switchoverFailure: before }, { ...returns, isFailedSwitchover: true })).toMatchObject({
      message: 'shop-2 lacks the last WAL of shop-1',
      count: 2,
    });
  });

  it('is kept until another instance is the primary', () => {
    expect(failure({ switchoverFailure: before, targetPrimary: '' }, { do: 'keep' })).toEqual(before);
    expect(failure({ switchoverFailure: before, currentPrimary: 'shop-2' }, { do: 'keep' })).toBeUndefined();
  });
});

describe('the MajorUpgrade condition', () => {
  it.each<[string, Decisions['upgrade'], unknown]>([
    ['is Failed when an attempt fails', { do: 'fail', why: 'x' }, { status: 'False', reason: 'Failed' }],
    [
      'is Failed until the failure is acknowledged',
      { do: 'reject', why: 'x', hasFailed: true },
      { status: 'False', reason: 'Failed' },
    ],
    ['is NotPossible for a downgrade', { do: 'reject', why: 'x' }, { status: 'False', reason: 'NotPossible' }],
    ['is InProgress as soon as a new attempt begins', { do: 'begin' }, { status: 'Unknown', reason: 'InProgress' }],
    ['is removed when the failure is acknowledged', { do: 'forget' }, undefined],
  ])('%s', (_, upgrade, expected) => {
    const decisions: Decisions = { primary: { do: 'keep' }, scale: [], foreign: [], upgrade, rollout: undefined };
    const conditions = clusterConditions(shop, { observed: observe(), decisions, failures: [] });
    const found = conditions.find(({ type }) => type === 'MajorUpgrade');
    expect(found && { status: found.status, reason: found.reason }).toEqual(expected);
  });
});

describe('the Initialized condition', () => {
  it('reports a restore that was abandoned, with Stalled', () => {
    const restoreError = 'the archive ends before the recovery target';
    const observed = observe({
      currentPrimary: undefined,
      members: [primary('shop-1', { report: { isPrimary: false, state: 'failed', restoreError } })],
    });
    const decisions: Decisions = {
      primary: choosePrimary(observed),
      scale: [],
      foreign: [],
      upgrade: { do: 'nothing' },
      rollout: undefined,
    };
    const conditions = clusterConditions(shop, { observed, decisions, failures: [] });
    const reason = 'RecoveryTargetNotReached';
    expect(conditions).toContainEqual({ type: 'Initialized', status: 'False', reason, message: restoreError });
    expect(conditions).toContainEqual({ type: 'Stalled', status: 'True', reason, message: restoreError });
    expect(conditions.find(({ type }) => type === 'Reconciling')).toBeUndefined();
  });
});
