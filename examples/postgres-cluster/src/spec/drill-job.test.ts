import type { Stored } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import type { PostgresBackupSchedule } from '../api/v1/postgres-backup-schedule.ts';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { drillJobFor } from './drill-job.ts';

const at = new Date('2026-01-01T00:00:00Z');
const schedule = { metadata: { name: 'nightly' }, spec: {} } as Stored<PostgresBackupSchedule>;
const clusterWith = (backup: PostgresCluster['spec']['backup']) =>
  ({ metadata: { name: 'shop' }, spec: { storage: {}, backup } }) as Stored<PostgresCluster>;

it('drillJobFor sets a deadline for the drill, and does not retry a failed drill', () => {
  const cluster = clusterWith({ volume: { claimName: 'archive' } });
  const job = drillJobFor(schedule, { cluster, image: 'postgres', at });
  expect(job?.spec).toMatchObject({ activeDeadlineSeconds: 86_400, backoffLimit: 0 });
});

it('drillJobFor claims a volume like that of an instance, and selects the nodes of the cluster', () => {
  const { spec, ...rest } = clusterWith({ volume: { claimName: 'archive' } });
  const storage = { size: '20Gi', storageClassName: 'fast' };
  const nodeSelector = { disk: 'ssd' };
  const cluster = { ...rest, spec: { ...spec, storage, nodeSelector } };
  const pod = drillJobFor(schedule, { cluster, image: 'postgres', at })?.spec?.template.spec;
  expect(pod?.nodeSelector).toEqual(nodeSelector);
  const claim = pod?.volumes?.find(({ name }) => name === 'work')?.ephemeral?.volumeClaimTemplate?.spec;
  expect(claim).toEqual({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '20Gi' } },
    storageClassName: 'fast',
  });
});

it('drillJobFor returns undefined if the cluster has no archive', () => {
  expect(drillJobFor(schedule, { cluster: clusterWith(undefined), image: 'postgres', at })).toBeUndefined();
});
