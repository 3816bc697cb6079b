import { VirtualClock } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { applyManifests } from '@kubewright/controlplane';
import { advance, eventually, FakeInfrastructure, reconcileOnce, TestEnvironment, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CronTab, type CronTabStatus } from './api/v1/cron-tab.ts';
import { cronTab } from './cron-tab.ts';

const file = (path: string) => new URL(`../${path}`, import.meta.url).pathname;
const crd = file('config/crd/bases/stable.example.com_crontabs.yaml');
const namespace = 'default';
// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };

describe('crontab', () => {
  let environment: TestEnvironment;
  let infrastructure: FakeInfrastructure;
  beforeAll(async () => {
    environment = await TestEnvironment.start({
      manifests: [crd],
      components: FakeInfrastructure.components,
    });
    infrastructure = await FakeInfrastructure.start(environment);
  });
  afterAll(async () => {
    await infrastructure?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const jobs = async () =>
    (await environment.client.resource(Job).list({ namespace })).items.map(({ metadata: { name } }) => name);
  const finish = async () => {
    for (const name of await jobs()) await infrastructure.complete({ namespace, name });
  };

  it('starts a Job of the given size at each time, and keeps the newest', async () => {
    const { client } = environment;
    const metadata = { name: 'tab', namespace };
    // The API server uses the system's clock, so the schedule starts ten minutes after the object is created.
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
    await eventually(jobs, toMatch([1, 2].map((run) => `tab-${start / 1000 + run * 3600}`)), waitOptions);
  });

  it('keeps its history while the schedule is invalid', async () => {
    const { client } = environment;
    const metadata = { name: 'edited', namespace };
    const spec = { cronSpec: '* * * * *', image: 'busybox' };
    await client.resource(CronTab).create(CronTab({ metadata: { ...metadata }, spec }));
    const clock = new VirtualClock(Date.now() + 120_000);
    const { status } = await reconcileOnce(cronTab, { client, now: clock, object: metadata });
    await client.resource(CronTab).patch(metadata, { type: 'merge', body: { spec: { cronSpec: 'daily' } } });
    const { object } = await reconcileOnce(cronTab, { client, now: clock, object: metadata });
    const { lastScheduleTime, active } = status as CronTabStatus;
    expect(active).toHaveLength(1);
    expect(object).toMatchObject({ status: { lastScheduleTime, active, conditions: [{ reason: 'InvalidSchedule' }] } });
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
    // A changed spec must not change the Job of a run that has started: the pod template of a Job is immutable.
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

describe('a year', () => {
  it('passes on a virtual clock, with a Job every Monday', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const metadata = { name: 'tab', namespace, creationTimestamp: '2026-01-01T00:00:00Z' };
    const tab = CronTab({ metadata, spec: { cronSpec: '30 2 * * 1', timeZone: 'Europe/Berlin', image: 'busybox' } });
    const world = await reconcileOnce(cronTab, { objects: [tab], manifests: [crd], now: clock });
    let { requeueAfterMs = 0 } = world.result;
    const at = '2026-01-01T00:00:00Z';
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    }));
    const complete = { startTime: at, completionTime: at, succeeded: 1, conditions };
    const started: string[] = [];
    while (clock.now() + requeueAfterMs < Date.UTC(2027, 0, 1)) {
      await advance(clock, `${requeueAfterMs}ms`);
      const { writes, result } = await world.again();
      const created = writes.filter(({ verb, kind }) => verb === 'apply' && kind === 'Job');
      for (const { name = '' } of created) {
        started.push(name);
        await world.client
          .resource(Job)
          .status.patch({ namespace, name }, { type: 'merge', body: { status: complete } });
      }
      requeueAfterMs = result.requeueAfterMs ?? 0;
    }
    expect(new Set(started).size).toBe(52);
    expect((await world.client.resource(Job).list({ namespace })).items).toHaveLength(4);
  });
});

describe('the definition of the article', () => {
  it('is accepted with the corrected field name, and is contained in the generated definition', async () => {
    await using environment = await TestEnvironment.start({ manifests: [file('article/crd.yaml')] });
    const { client } = environment;
    const definitions = client.resource(CustomResourceDefinition);
    const printed = (await definitions.get({ name: 'crontabs.stable.example.com' })).spec;
    const manifests = { files: [crd], fieldManager: 'test' };
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
