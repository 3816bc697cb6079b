import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SampleDB } from './api/v1/sample-db.ts';
import { sampleDB } from './sample-db.ts';

const namespace = 'default';
const crd = new URL('../config/crd/bases/samples.example.com_sampledbs.yaml', import.meta.url).pathname;

// No controllers run: each test decides which objects exist.
describe('sampledb keeps data', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: [crd] });
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  const reconcile = (name: string) =>
    reconcileOnce(sampleDB, { client: environment.client, object: { namespace, name } });
  /** Creates a database whose installation is complete. */
  const install = async (name: string) => {
    const databases = environment.client.resource(SampleDB);
    await databases.create(SampleDB({ metadata: { name, namespace }, spec: { version: '15' } }));
    await reconcile(name);
    await databases.status.patch(
      { namespace, name },
      { type: 'merge', body: { status: { version: '15', target: null } } },
    );
    await reconcile(name);
    return { databases, key: { namespace, name } };
  };

  it('does not end a deletion without a snapshot if the server is gone', async () => {
    const { client } = environment;
    const { databases, key } = await install('serverless');
    await client.resource(StatefulSet).delete(key);
    await databases.delete(key);
    const { object, events } = await reconcile('serverless');
    expect(object).toBeDefined();
    expect(events).toMatchObject([{ reason: 'SnapshotImpossible' }]);
    const claims = client.resource(PersistentVolumeClaim);
    const claim = { namespace, name: 'serverless-data' };
    expect((await claims.get(claim)).metadata.ownerReferences).toBeUndefined();

    await claims.delete(claim);
    expect((await reconcile('serverless')).object).toBeUndefined();
  });

  it('says how to end a deletion during an upgrade that cannot be completed', async () => {
    const { client } = environment;
    const { databases, key } = await install('stuck');
    const image = { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'postgres:61' } as const;
    await client.resource(StatefulSet).patch(key, { type: 'json', body: [image] });
    await databases.delete(key);
    const { object, events } = await reconcile('stuck');
    expect(object).toBeDefined();
    const note = expect.stringContaining(
      'delete the claim "stuck-data": the claim "stuck-snapshots" contains the data in before-61.sql',
    );
    expect(events).toContainEqual(expect.objectContaining({ reason: 'UpgradeBeforeSnapshot', note }));
    await client.resource(PersistentVolumeClaim).delete({ namespace, name: 'stuck-data' });
    expect((await reconcile('stuck')).object).toBeUndefined();
  });

  it('does not end a deletion before the snapshot is complete, and repeats one that failed', async () => {
    const { client } = environment;
    const { databases, key } = await install('saved');
    await databases.delete(key);
    const jobs = client.resource(Job);
    const snapshot = { namespace, name: 'saved-snapshot' };
    const end = async (type: string, before: string) => {
      // The Job controller counts the pod first; a Job that has ended has no active pods.
      const status = async () => (await jobs.get(snapshot)).status;
      await expect.poll(async () => (await status())?.active).toBe(1);
      const at = (await status())?.startTime;
      const conditions = [before, type].map((each) => ({ type: each, status: 'True', lastTransitionTime: at }));
      const completed = type === 'Complete' && { completionTime: at, succeeded: 1 };
      await jobs.status.patch(snapshot, {
        type: 'merge',
        body: { status: { active: 0, ready: 0, ...completed, conditions } },
      });
    };
    expect((await reconcile('saved')).object).toBeDefined();
    const first = (await jobs.get(snapshot)).metadata.uid;
    await end('Failed', 'FailureTarget');
    expect((await reconcile('saved')).object).toBeDefined();
    expect((await reconcile('saved')).object).toBeDefined();
    expect((await jobs.get(snapshot)).metadata.uid).not.toBe(first);
    await client.resource(PersistentVolumeClaim).get({ namespace, name: 'saved-data' });
    await end('Complete', 'SuccessCriteriaMet');
    expect((await reconcile('saved')).object).toBeUndefined();
  });

  it('rejects an older version, which cannot load the data', async () => {
    const { databases, key } = await install('newer');
    const set = (version: string) => databases.patch(key, { type: 'merge', body: { spec: { version } } });
    await expect(set('9')).rejects.toThrow('the version cannot be lowered');
    await set('16');
    await expect(set('15')).rejects.toThrow('the version cannot be lowered');
  });
});
