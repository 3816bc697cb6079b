import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { PersistentVolumeClaim, Secret } from '@kubewright/apimachinery/core/v1';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SampleDB } from './api/v1/sample-db.ts';
import { sampleDB } from './sample-db.ts';

const namespace = 'default';
const crd = new URL('../config/crd/bases/samples.example.com_sampledbs.yaml', import.meta.url).pathname;

// Without controllers: each test decides what exists.
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

  it.each([
    ['server', StatefulSet],
    ['Secret', Secret],
  ])('does not end a deletion without a snapshot if the %s is gone', async (what, kind) => {
    const { client } = environment;
    const name = `without-${what.toLowerCase()}`;
    const { databases, key } = await install(name);
    await client.resource(kind as typeof Secret).delete(key);
    await databases.delete(key);
    const { object, events } = await reconcile(name);
    expect(object).toBeDefined();
    expect(events).toMatchObject([{ reason: 'SnapshotImpossible' }]);
    const claims = client.resource(PersistentVolumeClaim);
    const claim = { namespace, name: `${name}-data` };
    expect((await claims.get(claim)).metadata.ownerReferences).toBeUndefined();

    await claims.delete(claim);
    expect((await reconcile(name)).object).toBeUndefined();
  });

  it('invents no password for existing data', async () => {
    const { client } = environment;
    const { key } = await install('locked');
    const { data } = await client.resource(Secret).get(key);
    await client.resource(Secret).delete(key);
    const { result, object } = await reconcile('locked');
    expect(result.requeueAfterMs).toBe(30_000);
    const conditions = (object as SampleDB | undefined)?.status?.conditions;
    const written = await client.resource(Secret).list({ namespace, fieldSelector: 'metadata.name=locked' });
    expect(written.items).toEqual([]);
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('is gone: create it again with the PGPASSWORD of the existing data'),
    });

    await client.resource(Secret).create(Secret({ metadata: key, data: data ?? {} }));
    expect((await reconcile('locked')).result.requeueAfterMs).toBeUndefined();
    expect((await client.resource(Secret).get(key)).data).toEqual(data);
  });

  it('refuses an older version, to which the data cannot be loaded', async () => {
    const { databases, key } = await install('newer');
    const set = (version: string) => databases.patch(key, { type: 'merge', body: { spec: { version } } });
    await expect(set('9')).rejects.toThrow('the version cannot be lowered');
    await set('16');
    await expect(set('15')).rejects.toThrow('the version cannot be lowered');
  });
});
