import { VirtualClock } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { applyManifests } from '@kubewright/controlplane';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CronTab } from './api/v1/cron-tab.ts';
import { cronTab } from './cron-tab.ts';

const file = (path: string) => new URL(`../${path}`, import.meta.url).pathname;
const namespace = 'default';

describe('crontab', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({
      manifests: [file('config/crd/bases/stable.example.com_crontabs.yaml')],
    });
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  const jobs = async () =>
    (await environment.client.resource(Job).list({ namespace })).items.map(({ metadata: { name } }) => name);
  const finish = async () => {
    const conditions = [
      { type: 'SuccessCriteriaMet', status: 'True' },
      { type: 'Complete', status: 'True' },
    ].map((one) => ({ ...one, lastTransitionTime: '2026-01-01T00:00:00Z' }));
    const times = { startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:00:01Z' };
    for (const name of await jobs()) {
      const body = { status: { ...times, succeeded: 1, conditions } };
      await environment.client.resource(Job).status.patch({ namespace, name }, { type: 'merge', body });
    }
  };

  it('starts a Job of the given size at each time, and keeps the newest', async () => {
    const { client } = environment;
    const metadata = { name: 'tab', namespace };
    // The cluster keeps its own clock: the schedule starts ten minutes after the object was created.
    const start = Math.floor(Date.now() / 60_000) * 60_000 + 600_000;
    const spec = {
      cronSpec: `${new Date(start).getUTCMinutes()} * * * *`,
      image: 'busybox',
      replicas: 2,
      historyLimit: 1,
    };
    await client.resource(CronTab).create(CronTab({ metadata: { ...metadata }, spec }));
    const clock = new VirtualClock(start - 30_000);
    const reconcile = () => reconcileOnce(cronTab, { client, now: clock, object: metadata });
    expect(await reconcile()).toMatchObject({ result: { requeueAfterMs: 30_000 } });
    expect(await jobs()).toEqual([]);
    await clock.advance(30_000);
    const first = `tab-${start / 1000}`;
    const { writes, object } = await reconcile();
    expect(writes[0]).toMatchObject({ verb: 'apply', kind: 'Job', name: first, body: { spec: { parallelism: 2 } } });
    expect(object).toMatchObject({ status: { active: [first], lastScheduleTime: timestamp(start) } });
    expect((await reconcile()).writes).toEqual([]);
    for (let run = 1; run <= 2; run++) {
      await finish();
      await clock.advance(3_600_000);
      await reconcile();
    }
    await expect.poll(jobs, { timeout: 30_000 }).toEqual([1, 2].map((run) => `tab-${start / 1000 + run * 3600}`));
  });

  it('does not start a run twice if the status was not written', async () => {
    const { client } = environment;
    const metadata = { name: 'crash', namespace };
    const spec = { cronSpec: '* * * * *', image: 'busybox' };
    await client.resource(CronTab).create(CronTab({ metadata: { ...metadata }, spec }));
    const clock = new VirtualClock(Date.now() + 120_000);
    await reconcileOnce(cronTab, { client, now: clock, object: metadata });
    const { status } = await client.resource(CronTab).get(metadata);
    const body = { status: { nextScheduleTime: status?.lastScheduleTime } };
    await client.resource(CronTab).status.patch(metadata, { type: 'merge', body });
    // The spec changed meanwhile, which the pod template of a Job could not.
    await client.resource(CronTab).patch(metadata, { type: 'merge', body: { spec: { image: 'alpine' } } });
    const again = await reconcileOnce(cronTab, { client, now: clock, object: metadata });
    expect(again.writes.filter(({ kind }) => kind === 'Job')).toEqual([]);
  });

  it('reports an invalid schedule and waits for another', async () => {
    const { client } = environment;
    const spec = { cronSpec: 'daily', image: 'busybox' };
    const broken = CronTab({ metadata: { name: 'broken', namespace }, spec });
    const { object, result } = await reconcileOnce(cronTab, { client, object: broken });
    expect(object).toMatchObject({
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidSchedule' }] },
    });
    expect(result).toEqual({});
  });

  it('serves the object of the article', async () => {
    const { client } = environment;
    await applyManifests(client, { files: [file('config/samples/my-new-cron-object.yaml')], fieldManager: 'test' });
    const object = await client.resource(CronTab).get({ namespace, name: 'my-new-cron-object' });
    expect(object.spec).toMatchObject({ cronSpec: '* * * * */5', image: 'my-awesome-cron-image', replicas: 1 });
  });
});

describe('the definition of the article', () => {
  it('is accepted with the corrected word, and a part of the generated one', async () => {
    await using environment = await TestEnvironment.start({ manifests: [file('article/crd.yaml')] });
    const { client } = environment;
    const definitions = client.resource(CustomResourceDefinition);
    const printed = (await definitions.get({ name: 'crontabs.stable.example.com' })).spec;
    const manifests = { files: [file('config/crd/bases/stable.example.com_crontabs.yaml')], fieldManager: 'test' };
    await applyManifests(client, manifests);
    const { spec } = await definitions.get({ name: 'crontabs.stable.example.com' });
    expect(spec.names).toEqual(printed.names);
    const fields = (of: typeof spec) =>
      Object.keys(of.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties ?? {});
    expect(fields(printed)).toEqual(['cronSpec', 'image', 'replicas']);
    expect(fields(spec)).toEqual(expect.arrayContaining(fields(printed)));
  });
});

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
