import type { Stored } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import type { PostgresBackupSchedule } from '../api/v1/postgres-backup-schedule.ts';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { drillJobFor } from './drill-job.ts';

const at = new Date('2026-01-01T00:00:00Z');
const schedule = { metadata: { name: 'nightly' }, spec: {} } as Stored<PostgresBackupSchedule>;
const clusterWith = (backup: PostgresCluster['spec']['backup']) =>
  ({ metadata: { name: 'shop' }, spec: { backup } }) as Stored<PostgresCluster>;

it('drillJobFor sets a deadline for the drill, and does not retry a failed drill', () => {
  const cluster = clusterWith({ volume: { claimName: 'archive' } });
  const job = drillJobFor(schedule, { cluster, image: 'postgres', at });
  expect(job?.spec).toMatchObject({ activeDeadlineSeconds: 86_400, backoffLimit: 0 });
});

it('drillJobFor returns undefined if the cluster has no archive', () => {
  expect(drillJobFor(schedule, { cluster: clusterWith(undefined), image: 'postgres', at })).toBeUndefined();
});
