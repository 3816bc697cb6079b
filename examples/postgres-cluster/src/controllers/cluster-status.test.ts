import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { ObservedCluster } from '../plan/observed-cluster.ts';
import { nextRolloutStep } from '../plan/rollout.ts';
import { cluster as observe, primary, replica, silent } from '../plan/testdata/observed.ts';
import { clusterConditions, clusterStatus, type Decisions } from './cluster-status.ts';

const shop = PostgresCluster({
  metadata: { name: 'shop', namespace: 'default' },
  spec: { instances: 3, storage: { size: '1Gi' }, backup: { volume: { claimName: 'archive' } } },
}) as Stored<PostgresCluster>;

/** Returns the phase, and the conditions Ready and Reconciling. */
function state(rest: Partial<ObservedCluster>, primaryDecision: Decisions['primary'] = { do: 'keep' }) {
  const observed = observe(rest);
  const decisions: Decisions = {
    primary: primaryDecision,
    scale: [],
    foreign: [],
    upgrade: { do: 'nothing' },
    rollout: nextRolloutStep(observed),
  };
  const conditions = clusterConditions(shop, { observed, decisions });
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const { status, message } = find('Ready') ?? {};
  return [clusterStatus(shop, { observed, decisions }).phase, status, message, find('Reconciling')?.status];
}

const healthy = 'Cluster in healthy state';
const working = [replica('shop-2'), replica('shop-3')];
const archive = (message?: string) => ({
  lastArchivedTime: '2026-01-01T00:00:00Z',
  lastFailed: '000000010000000000000002',
  lastFailedTime: '2026-01-01T00:01:00Z',
  ...(message !== undefined && { message }),
});
const mismatch = 'the instances belong to different database systems: 1, 2';
const systems = [replica('shop-2', { report: { systemID: '2' } }), replica('shop-3', { report: { systemID: '1' } })];

describe('the condition Ready', () => {
  it.each<[string, Partial<ObservedCluster>, unknown[]]>([
    ['all works', {}, [healthy, 'True', '', undefined]],
    [
      'only archiving fails',
      { members: [primary('shop-1', { report: { archive: archive('the bucket does not exist') } }), ...working] },
      [healthy, 'False', 'the bucket does not exist', 'True'],
    ],
    [
      'archiving fails for an unknown reason',
      { members: [primary('shop-1', { report: { archive: archive() } }), ...working] },
      [healthy, 'False', 'cannot archive 000000010000000000000002', 'True'],
    ],
    [
      'the instances differ in their system',
      { members: [primary('shop-1', { report: { systemID: '1' } }), ...systems] },
      [healthy, 'False', mismatch, 'True'],
    ],
    [
      'both',
      { members: [primary('shop-1', { report: { systemID: '1', archive: archive('no bucket') } }), ...systems] },
      [healthy, 'False', `${mismatch}; no bucket`, 'True'],
    ],
    [
      'an instance is silent',
      { members: [primary('shop-1'), replica('shop-2'), silent('shop-3')] },
      [
        'Waiting for the instances to become active',
        'False',
        'Waiting for the instances to become active: shop-3',
        'True',
      ],
    ],
    [
      'a user decides about the primary',
      { updates: 'supervised', members: [primary('shop-1', { report: { pendingRestart: true } }), ...working] },
      [
        'Waiting for user action',
        'False',
        'Waiting for user action: shop-1 needs a restart; request another primary, or set updates to unsupervised',
        undefined,
      ],
    ],
    [
      'an instance whose name contains "updates" blocks the others',
      {
        name: 'updates',
        currentPrimary: 'updates-1',
        targetPrimary: 'updates-1',
        members: [primary('updates-1', { report: { pendingRestart: true } }), silent('updates-2')],
      },
      ['Updating instances', 'False', 'Updating instances: waiting for updates-2 before the next restart', 'True'],
    ],
  ])('%s', (_, observed, expected) => {
    expect(state(observed)).toEqual(expected);
  });

  it('says why a switchover is delayed', () => {
    const delayed = { do: 'keep', phase: 'Switchover delayed', why: 'a replica is missing' } as const;
    expect(state({}, delayed)).toEqual([
      'Switchover delayed',
      'False',
      'Switchover delayed: a replica is missing',
      'True',
    ]);
  });
});
