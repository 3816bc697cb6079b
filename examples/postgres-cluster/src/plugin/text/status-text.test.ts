import type { Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { PostgresBackup, type PostgresBackupStatus } from '../../api/v1/postgres-backup.ts';
import {
  PostgresCluster,
  type PostgresClusterSpec,
  type PostgresClusterStatus,
} from '../../api/v1/postgres-cluster.ts';
import type { Replication } from '../replication.ts';
import { type StatusInput, statusText } from './status-text.ts';

const nowMs = Date.parse('2026-11-23T15:00:00Z');

function shop(status: PostgresClusterStatus, spec: Partial<PostgresClusterSpec> = {}): Stored<PostgresCluster> {
  const metadata = { namespace: 'default', name: 'shop', uid: 'u', resourceVersion: '1' };
  const cluster = PostgresCluster({ metadata, spec: { version: '15', instances: 2, storage: {}, ...spec } });
  return { ...cluster, status } as Stored<PostgresCluster>;
}

const healthy: PostgresClusterStatus = {
  phase: 'Cluster in healthy state',
  readyInstances: 2,
  currentPrimary: 'shop-1',
  targetPrimary: 'shop-1',
  timeline: 3,
  systemID: '7',
  instanceStatuses: [
    { name: 'shop-1', role: 'primary', ready: true, lsn: '0/5000060', timeline: 3 },
    { name: 'shop-2', role: 'replica', ready: true, lsn: '0/5000060', timeline: 3, lagBytes: 0 },
  ],
};
const replica = {
  name: 'shop-2',
  state: 'streaming',
  sync: 'quorum',
  sentLSN: '0/5000060',
  flushLSN: '0/5000060',
  replayLSN: '0/5000028',
  replayLagSeconds: 0.00132,
  slot: 'kubewright_shop_2',
};

function text(input: Partial<StatusInput> & Pick<StatusInput, 'cluster'>): string {
  const replication: Replication = [replica];
  return statusText({ backups: [], replication, nodes: new Map([['shop-1', 'node-a']]), nowMs, ...input });
}

describe('statusText', () => {
  it('shows a healthy cluster', () => {
    expect(text({ cluster: shop(healthy, { replication: { synchronous: 1 } }) })).toBe(`Cluster:      default/shop
Phase:        Cluster in healthy state
PostgreSQL:   15
System ID:    7
Instances:    2, 2 ready
Primary:      shop-1
Timeline:     3
Synchronous:  1 (durability: required)
Archive:      none

Instances
NAME     ROLE      READY   TIMELINE   LSN         LAG   NODE     MESSAGE
shop-1   primary   yes     3          0/5000060   -     node-a
shop-2   replica   yes     3          0/5000060   0 B   -

Replication
NAME     STATE       SYNC     SENT        FLUSHED     REPLAYED    REPLAY LAG   SLOT
shop-2   streaming   quorum   0/5000060   0/5000060   0/5000028   0.001 s      kubewright_shop_2
`);
  });

  it('shows that a primary is being chosen, and why the state of replication is unknown', () => {
    const failing = { ...healthy, phase: 'Failing over', phaseReason: 'the server died', targetPrimary: '' };
    const shown = text({ cluster: shop(failing), replication: { why: 'connection refused' } });
    expect(shown).toContain('Phase:        Failing over\nReason:       the server died\n');
    expect(shown).toContain('Primary:      shop-1\nTarget:       being chosen\n');
    expect(shown).toContain('Replication\nunknown: connection refused\n');
  });

  it('shows the archive, the newest backups first, and failing conditions', () => {
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'ClusterIsNotReady', message: 'disk full' },
      { type: 'Initialized', status: 'True', reason: 'BootstrapCompleted', message: '' },
      { type: 'ContinuousArchiving', status: 'False', reason: 'Failing', message: 'disk full' },
    ].map((each) => ({ ...each, status: each.status as 'True', lastTransitionTime: '2026-11-23T14:00:00Z' }));
    const status = {
      ...healthy,
      conditions,
      lastBackup: '2026-11-23T14:30:00Z',
      firstRecoverabilityPoint: '2026-11-20T14:30:00Z',
    };
    const cluster = shop(status, { backup: { volume: { claimName: 'archive' } } });
    const backup = (name: string, creationTimestamp: string, found: PostgresBackupStatus) => {
      const object = PostgresBackup({ metadata: { name, creationTimestamp }, spec: { cluster: 'shop' } });
      return { ...object, status: found } as Stored<PostgresBackup>;
    };
    const backups = [
      backup('old', '2026-11-23T13:00:00Z', { phase: 'Completed', stoppedAt: '2026-11-23T13:00:10Z', sizeBytes: 2048 }),
      backup('new', '2026-11-23T14:59:00Z', { phase: 'Failed', error: 'no space left' }),
    ];
    const shown = text({ cluster, backups });
    expect(shown).toContain('Archive:      failing: disk full\n');
    expect(shown).toContain('Last backup:  2026-11-23T14:30:00Z (30m ago)\n');
    expect(shown).toContain('Restorable:   since 2026-11-20T14:30:00Z (3d ago)\n');
    expect(shown).toContain(`Backups
NAME   TYPE   PHASE       AGE    SIZE      ERROR
new    full   Failed      60s    -         no space left
old    full   Completed   119m   2.0 KiB
`);
    expect(shown).toContain(`Conditions
TYPE                  STATUS   REASON              MESSAGE
Ready                 False    ClusterIsNotReady   disk full
ContinuousArchiving   False    Failing             disk full
`);
  });

  it('shows a cluster that has no status yet', () => {
    const shown = text({ cluster: shop({}), replication: { why: 'the cluster has no primary' } });
    expect(shown).toContain('Phase:        not reconciled yet\n');
    expect(shown).toContain('Primary:      none\n');
  });
});
