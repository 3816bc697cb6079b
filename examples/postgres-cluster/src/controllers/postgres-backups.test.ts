import { VirtualClock } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresBackup, type PostgresBackupSpec } from '../api/v1/postgres-backup.ts';
import { PostgresBackupSchedule, type PostgresBackupScheduleSpec } from '../api/v1/postgres-backup-schedule.ts';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { BackupReport, BackupRequest } from '../instance/protocol.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { drillLabel } from '../spec/drill-job.ts';
import type { BackupClient } from './backup-client.ts';
import { postgresBackup } from './postgres-backup.ts';
import { postgresBackupSchedule } from './postgres-backup-schedule.ts';

const namespace = 'default';
const minuteMs = 60_000;
const manifests = ['postgresclusters', 'postgresbackups', 'postgresbackupschedules'].map(
  (name) => new URL(`../../config/crd/bases/database.db.example.com_${name}.yaml`, import.meta.url).pathname,
);

/** Instances whose responses the test sets. */
class TestInstances implements BackupClient {
  readonly started: (BackupRequest & { readonly instance: string })[] = [];
  backupReport: BackupReport | undefined;
  isReachable = true;

  async start(...[{ instance }, { request }]: Parameters<BackupClient['start']>): Promise<void> {
    this.started.push({ ...request, instance });
  }

  async report(): Promise<BackupReport | undefined> {
    if (!this.isReachable) throw new Error('connection refused');
    return this.backupReport;
  }
}

// No controllers run: each test calls the reconcilers step by step.
describe('backups', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests });
    const { client } = environment;
    const spec = { storage: {}, backup: { volume: { claimName: 'archive' }, keep: 2 } };
    const clusters = client.resource(PostgresCluster);
    await clusters.create(PostgresCluster({ metadata: { namespace, name: 'shop' }, spec }));
    const instanceStatuses = [
      { name: 'shop-1', role: 'primary', ready: true },
      { name: 'shop-2', role: 'replica', ready: true },
    ];
    await clusters.status.patch(
      { namespace, name: 'shop' },
      { type: 'merge', body: { status: { currentPrimary: 'shop-1', instanceStatuses } } },
    );
    const secret = Buffer.from('x').toString('base64');
    const data = { 'tls.crt': secret, 'tls.key': secret, 'ca.crt': secret };
    await client
      .resource(Secret)
      .create(Secret({ metadata: { namespace, name: clusterNames('shop').operatorCertificate }, data }));
    for (const { name } of instanceStatuses) {
      const containers = [{ name: 'postgresql', image: 'postgres-instance' }];
      await client.resource(Pod).create(Pod({ metadata: { namespace, name }, spec: { containers } }));
      const body = { status: { podIP: '127.0.0.1' } };
      await client.resource(Pod).status.patch({ namespace, name }, { type: 'merge', body });
    }
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  describe('PostgresBackup', () => {
    const create = async (name: string, spec: Partial<PostgresBackupSpec> = {}) => {
      const backup = PostgresBackup({ metadata: { namespace, name }, spec: { cluster: 'shop', ...spec } });
      return environment.client.resource(PostgresBackup).create(backup);
    };
    const reconciler = (name: string, instances: BackupClient) => async () => {
      const report = await reconcileOnce(postgresBackup(instances), {
        client: environment.client,
        object: { namespace, name },
      });
      return { ...report, status: (report.object as PostgresBackup | undefined)?.status };
    };

    it('records the instance, then requests the backup, and writes the result to the cluster', async () => {
      const { metadata } = await create('first');
      const instances = new TestInstances();
      const reconcile = reconciler('first', instances);
      expect((await reconcile()).status).toMatchObject({ phase: 'Running', instance: 'shop-2' });
      expect(instances.started).toEqual([]);
      await reconcile();
      expect(instances.started).toEqual([{ name: 'first', uid: metadata.uid, type: 'full', instance: 'shop-2' }]);
      instances.backupReport = { phase: 'Running' };
      expect((await reconcile()).result.requeueAfterMs).toBe(2000);

      const stoppedAt = '2026-01-01T00:00:00Z';
      const firstRecoverabilityPoint = '2025-12-25T00:00:00Z';
      instances.backupReport = { phase: 'Completed', id: 'a', stoppedAt, sizeBytes: 42, firstRecoverabilityPoint };
      const { status, events } = await reconcile();
      expect(status).toMatchObject({ phase: 'Completed', id: 'a', instance: 'shop-2', sizeBytes: 42 });
      expect(events).toMatchObject([{ reason: 'BackupCompleted' }]);
      const cluster = await environment.client.resource(PostgresCluster).get({ namespace, name: 'shop' });
      expect(cluster.status).toMatchObject({ lastBackup: stoppedAt, firstRecoverabilityPoint });
      expect((await reconcile()).writes).toEqual([]);
      expect(instances.started).toHaveLength(1);
    });

    it('reports a failed backup', async () => {
      await create('broken');
      const instances = new TestInstances();
      const reconcile = reconciler('broken', instances);
      await reconcile();
      instances.backupReport = { phase: 'Failed', error: 'cannot reach the archive' };
      const { status, events } = await reconcile();
      expect(status).toMatchObject({ phase: 'Failed', error: 'cannot reach the archive' });
      expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'Failed' }]);
      expect(events).toMatchObject([{ type: 'Warning', reason: 'BackupFailed' }]);
    });

    it('waits for an instance that does not respond', async () => {
      await create('patient');
      const instances = new TestInstances();
      const reconcile = reconciler('patient', instances);
      await reconcile();
      instances.isReachable = false;
      const { status, result } = await reconcile();
      expect(status).toMatchObject({ phase: 'Running', instance: 'shop-2' });
      expect(result.requeueAfterMs).toBe(2000);
      expect(instances.started).toEqual([]);
    });

    it('waits until the other backup of the cluster has ended', async () => {
      await create('next');
      const reconcile = reconciler('next', new TestInstances());
      const { status } = await reconcile();
      expect(status?.phase).toBe('Pending');
      expect(status?.conditions).toMatchObject([{ message: 'the PostgresBackup "patient" must end first' }]);
      await environment.client
        .resource(PostgresBackup)
        .status.patch({ namespace, name: 'patient' }, { type: 'merge', body: { status: { phase: 'Failed' } } });
      expect((await reconcile()).status?.phase).toBe('Running');
    });

    it('waits until its cluster exists', async () => {
      await create('early', { cluster: 'missing' });
      const { status, result } = await reconciler('early', new TestInstances())();
      expect(status).toMatchObject({ phase: 'Pending' });
      expect(result.requeueAfterMs).toBe(10_000);
    });
  });

  describe('PostgresBackupSchedule', () => {
    const definition = postgresBackupSchedule({ image: 'postgres-instance' });
    /**
     * Creates a schedule, and returns functions that reconcile it at virtual times. The clock starts at the creation
     * timestamp, which comes from the API server's own clock.
     */
    const schedule = async (name: string, spec: Partial<PostgresBackupScheduleSpec>) => {
      const given = { cluster: 'shop', schedule: '*/15 * * * *', ...spec };
      const created = await environment.client
        .resource(PostgresBackupSchedule)
        .create(PostgresBackupSchedule({ metadata: { namespace, name }, spec: given }));
      const clock = new VirtualClock(Date.parse(created.metadata.creationTimestamp));
      const reconcile = async () => {
        const report = await reconcileOnce(definition, {
          client: environment.client,
          object: { namespace, name },
          now: clock,
        });
        return { ...report, status: (report.object as PostgresBackupSchedule | undefined)?.status };
      };
      const backups = async () => {
        const { items } = await environment.client.resource(PostgresBackup).list({ namespace });
        return items.map(({ metadata }) => metadata.name).filter((one) => one.startsWith(`${name}-`));
      };
      const finish = async (backup: string, status: object) => {
        const key = { namespace, name: backup };
        await environment.client.resource(PostgresBackup).status.patch(key, { type: 'merge', body: { status } });
      };
      const reasonOf = (status: PostgresBackupSchedule['status'], type: string) =>
        status?.conditions?.find((condition) => condition.type === type)?.reason;
      return { clock, reconcile, backups, finish, reasonOf };
    };

    it('requeues until a backup is due, then creates it once', async () => {
      const { clock, reconcile, backups } = await schedule('regular', {});
      const { result, status } = await reconcile();
      expect(await backups()).toEqual([]);
      const waitMs = result.requeueAfterMs ?? 0;
      expect(new Date(clock.now() + waitMs).toISOString()).toBe(status?.nextScheduleTime);
      await clock.advance(waitMs);
      const due = await reconcile();
      expect(await backups()).toHaveLength(1);
      expect(due.events).toMatchObject([{ reason: 'BackupCreated' }]);
      expect(due.status?.lastScheduleTime).toBe(status?.nextScheduleTime);
      await reconcile();
      expect(await backups()).toHaveLength(1);
    });

    it('reports failed backups while the archive is unreachable for an hour, then creates the next backup', async () => {
      const { clock, reconcile, backups, finish, reasonOf } = await schedule('outage', {});
      for (let quarter = 1; quarter <= 4; quarter++) {
        await clock.advance(15 * minuteMs);
        await reconcile();
        const [newest = ''] = (await backups()).sort().reverse();
        await finish(newest, { phase: 'Failed', error: 'cannot reach the archive' });
        expect(reasonOf((await reconcile()).status, 'LastBackupSucceeded')).toBe('Failed');
      }
      await clock.advance(15 * minuteMs);
      await reconcile();
      // Three failed backups are kept.
      expect(await backups()).toHaveLength(4);
      const [newest = ''] = (await backups()).sort().reverse();
      await finish(newest, { phase: 'Completed' });
      const { status } = await reconcile();
      expect(reasonOf(status, 'LastBackupSucceeded')).toBe('Completed');
      expect(status?.lastBackup).toBe(newest);
    });

    it('creates one backup after the operator was down for a day', async () => {
      const { clock, reconcile, backups } = await schedule('away', {});
      await clock.advance(24 * 60 * minuteMs);
      await reconcile();
      expect(await backups()).toHaveLength(1);
    });

    it('reports a foreign backup with the name of a due backup, without changing it', async () => {
      const { clock, reconcile } = await schedule('taken', {});
      await clock.advance(15 * minuteMs);
      const due = Math.floor(clock.now() / (15 * minuteMs)) * 15;
      const backups = environment.client.resource(PostgresBackup);
      const metadata = { namespace, name: `taken-${due}` };
      const before = await backups.create(PostgresBackup({ metadata, spec: { cluster: 'other' } }));
      const { events } = await reconcile();
      expect(events).toMatchObject([{ type: 'Warning', reason: 'ForeignObject' }]);
      expect(await backups.get(metadata)).toEqual(before);
    });

    it('creates no backup while suspended', async () => {
      const { clock, reconcile, backups, reasonOf } = await schedule('paused', { suspend: true });
      await clock.advance(60 * minuteMs);
      const { status, result } = await reconcile();
      expect(await backups()).toEqual([]);
      expect(result.requeueAfterMs).toBeUndefined();
      expect(reasonOf(status, 'Ready')).toBe('Suspended');
    });

    it('reports an unknown time zone', async () => {
      const { reconcile, reasonOf } = await schedule('nowhere', { timeZone: 'Mars/Phobos' });
      expect(reasonOf((await reconcile()).status, 'Ready')).toBe('InvalidSchedule');
    });

    it('restores the newest backup in a Job, and reports the result', async () => {
      const query = 'SELECT 1 FROM orders';
      const { clock, reconcile, backups, finish, reasonOf } = await schedule('proven', {
        drill: { schedule: '*/30 * * * *', query },
      });
      await clock.advance(15 * minuteMs);
      await reconcile();
      const [backup = ''] = await backups();
      await finish(backup, { phase: 'Completed' });
      await clock.advance(30 * minuteMs);
      await reconcile();
      const { client } = environment;
      const [job] = (await client.resource(Job).list({ namespace })).items;
      expect(job?.spec?.template.spec?.containers[0]).toMatchObject({ image: 'postgres-instance:15', args: ['drill'] });
      const variables = job?.spec?.template.spec?.containers[0]?.env ?? [];
      expect(JSON.parse(variables.find(({ name }) => name === 'DRILL')?.value ?? '')).toMatchObject({
        cluster: 'shop',
        query,
      });

      const name = job?.metadata.name ?? '';
      const labels = { [drillLabel]: 'proven', 'job-name': name };
      const containers = [{ name: 'drill', image: 'postgres-instance' }];
      await client.resource(Pod).create(Pod({ metadata: { namespace, name, labels }, spec: { containers } }));
      const result = { backup: 'id', finishedAt: '2100-01-01T00:00:00Z', succeeded: false, message: 'is damaged' };
      const terminated = { exitCode: 1, message: JSON.stringify(result) };
      const containerStatuses = [
        { name: 'drill', image: '', imageID: '', ready: false, restartCount: 0, state: { terminated } },
      ];
      await client
        .resource(Pod)
        .status.patch({ namespace, name }, { type: 'merge', body: { status: { containerStatuses } } });
      const time = new Date(clock.now()).toISOString().replace(/\.\d+/, '');
      const conditions = ['FailureTarget', 'Failed'].map((type) => ({
        type,
        status: 'True',
        reason: 'BackoffLimitExceeded',
        lastTransitionTime: time,
        lastProbeTime: time,
      }));
      // The test can report a failed Job, which has no active pods, only after the Job controller has counted the pod.
      const active = async () => (await client.resource(Job).get({ namespace, name })).status?.active;
      await expect.poll(active).toBe(1);
      const body = { status: { active: 0, ready: 0, failed: 1, conditions } };
      await client.resource(Job).status.patch({ namespace, name }, { type: 'merge', body });
      const { status, events } = await reconcile();
      expect(status?.lastDrill).toEqual(result);
      expect(reasonOf(status, 'LastDrillSucceeded')).toBe('Failed');
      expect(events).toMatchObject([{ type: 'Warning', reason: 'DrillFailed' }]);
      // A node that is drained takes the pod with it, but the Job remains.
      await client.resource(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0 });
      const later = await reconcile();
      expect([later.status?.lastDrill, later.events]).toEqual([result, []]);
    });
  });
});
