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
  const allReady = cluster([primary, replica, other]);
  const rows: readonly (readonly [string, Partial<ObservedBackup>, BackupStep])[] = [
    ['starts on a ready replica by default', { cluster: allReady }, { do: 'start', instance: 'shop-2' }],
    [
      'starts on the primary if spec.from is primary',
      { cluster: allReady, spec: { cluster: 'shop', from: 'primary' } },
      { do: 'start', instance: 'shop-1' },
    ],
    [
      'starts on the primary if no replica is ready',
      { cluster: cluster([primary, stopped(replica)]) },
      { do: 'start', instance: 'shop-1' },
    ],
    [
      'waits until an instance is ready',
      { cluster: cluster([stopped(primary)]) },
      { do: 'wait', why: 'no instance of the PostgresCluster "shop" is ready' },
    ],
    [
      'waits for another backup of the cluster',
      { cluster: allReady, after: 'first' },
      { do: 'wait', why: 'the PostgresBackup "first" must end first' },
    ],
    ['waits until the PostgresCluster exists', {}, { do: 'wait', why: 'the PostgresCluster "shop" does not exist' }],
    [
      'fails if the PostgresCluster has no spec.backup',
      { cluster: { spec: { storage: {} } } },
      { do: 'fail', why: 'the PostgresCluster "shop" has no spec.backup; set it, then create another PostgresBackup' },
    ],
    [
      'waits while the instance copies its data',
      { cluster: allReady, status: running, report: { phase: 'Running' } },
      { do: 'wait', why: 'shop-2 is copying its data' },
    ],
    // The operator crashed before it sent the request, or the instance has restarted.
    [
      'starts on the chosen instance again if the instance does not know the backup',
      { cluster: allReady, status: running, report: 'unknown' },
      { do: 'start', instance: 'shop-2' },
    ],
    [
      'waits while a ready instance does not respond',
      { cluster: allReady, status: running, report: 'unreachable' },
      { do: 'wait', why: 'shop-2 does not respond' },
    ],
    [
      'starts on another instance if the chosen instance has stopped',
      { cluster: cluster([primary, stopped(replica), other]), status: running, report: 'unreachable' },
      { do: 'start', instance: 'shop-3' },
    ],
    [
      'finishes once the instance has completed the backup',
      { cluster: allReady, status: running, report: { phase: 'Completed', id: 'a' } },
      { do: 'finish', report: { phase: 'Completed', id: 'a' } },
    ],
    [
      'finishes with the error of a failed backup',
      { cluster: allReady, status: running, report: { phase: 'Failed', error: 'disk full' } },
      { do: 'finish', report: { phase: 'Failed', error: 'disk full' } },
    ],
    ['does nothing for a completed backup', { status: { phase: 'Completed' } }, { do: 'nothing' }],
    ['does nothing for a failed backup', { cluster: allReady, status: { phase: 'Failed' } }, { do: 'nothing' }],
  ];
  it.each(rows)('%s', (_, observed, step) => {
    expect(nextBackupStep({ spec: { cluster: 'shop' }, status: {}, ...observed })).toEqual(step);
  });
});
