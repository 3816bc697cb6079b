import { describe, expect, it } from 'vitest';
import type { PostgresBackupStatus } from '../api/v1/postgres-backup.ts';
import type { InstanceStatus } from '../api/v1/postgres-cluster.ts';
import { type BackupStep, nextBackupStep, type ObservedBackup } from './backup-step.ts';

const primary: InstanceStatus = { name: 'shop-1', role: 'primary', ready: true };
const replica: InstanceStatus = { name: 'shop-2', role: 'replica', ready: true };
const other: InstanceStatus = { name: 'shop-3', role: 'replica', ready: true };
const stopped = (instance: InstanceStatus): InstanceStatus => ({ ...instance, ready: false });

describe('nextBackupStep', () => {
  const cluster = (instanceStatuses: readonly InstanceStatus[]) => ({
    spec: { storage: {}, backup: { volume: { claimName: 'archive' } } },
    status: { instanceStatuses },
  });
  const running: PostgresBackupStatus = { phase: 'Running', instance: 'shop-2' };
  const all = cluster([primary, replica, other]);
  const rows: readonly (readonly [string, Partial<ObservedBackup>, BackupStep])[] = [
    ['starts on a replica', { cluster: all }, { do: 'start', instance: 'shop-2' }],
    [
      'starts on the primary if the spec says so',
      { cluster: all, spec: { cluster: 'shop', from: 'primary' } },
      { do: 'start', instance: 'shop-1' },
    ],
    [
      'starts on the primary if no replica is ready',
      { cluster: cluster([primary, stopped(replica)]) },
      { do: 'start', instance: 'shop-1' },
    ],
    [
      'waits for an instance that is ready',
      { cluster: cluster([stopped(primary)]) },
      { do: 'wait', why: 'no instance is ready' },
    ],
    ['waits for the cluster', {}, { do: 'wait', why: 'the PostgresCluster "shop" does not exist' }],
    [
      'fails without an archive',
      { cluster: { spec: { storage: {} } } },
      { do: 'fail', why: 'the PostgresCluster "shop" has no spec.backup' },
    ],
    [
      'waits while the instance copies',
      { cluster: all, status: running, report: { phase: 'Running' } },
      { do: 'wait', why: 'shop-2 is copying its data' },
    ],
    [
      'asks again after a crash between status and request, or a restart of the instance',
      { cluster: all, status: running, report: 'unknown' },
      { do: 'start', instance: 'shop-2' },
    ],
    [
      'waits for an instance that does not respond but is ready',
      { cluster: all, status: running, report: 'unreachable' },
      { do: 'wait', why: 'shop-2 does not respond' },
    ],
    [
      'starts on another instance if the first one has stopped',
      { cluster: cluster([primary, stopped(replica), other]), status: running, report: 'unreachable' },
      { do: 'start', instance: 'shop-3' },
    ],
    [
      'finishes',
      { cluster: all, status: running, report: { phase: 'Completed', id: 'a' } },
      { do: 'finish', report: { phase: 'Completed', id: 'a' } },
    ],
    [
      'reports a failure',
      { cluster: all, status: running, report: { phase: 'Failed', error: 'disk full' } },
      { do: 'finish', report: { phase: 'Failed', error: 'disk full' } },
    ],
    ['leaves a completed backup alone', { status: { phase: 'Completed' } }, { do: 'nothing' }],
    ['leaves a failed backup alone', { cluster: all, status: { phase: 'Failed' } }, { do: 'nothing' }],
  ];
  it.each(rows)('%s', (_, observed, step) => {
    expect(nextBackupStep({ spec: { cluster: 'shop' }, status: {}, ...observed })).toEqual(step);
  });
});
