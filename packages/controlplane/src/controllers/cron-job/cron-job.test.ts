import { CronJob, type CronJobSpec, Job } from '@kubewright/apimachinery/batch/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ControllersUnderTest } from '../testdata/controllers-under-test.ts';
import { cronJobController } from './cron-job.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
let cluster: ControllersUnderTest;

beforeAll(async () => {
  cluster = await ControllersUnderTest.start([cronJobController()]);
});
afterAll(async () => {
  expect(cluster.rejections).toEqual([]);
  await cluster[Symbol.asyncDispose]();
});

async function create(namespace: string, spec: Partial<CronJobSpec>): Promise<void> {
  await cluster.namespace(namespace);
  const containers = [{ name: 'c', image: 'i' }];
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never' as const, containers } } } };
  const cronJob = CronJob({
    metadata: { name: 'tick', namespace },
    spec: { schedule: '* * * * *', jobTemplate, ...spec },
  });
  await cluster.client.resource(CronJob).create(cronJob);
  await cluster.settle();
}

const read = (namespace: string) => cluster.client.resource(CronJob).get({ namespace, name: 'tick' });
const change = (namespace: string, spec: Partial<CronJobSpec>) =>
  cluster.client.resource(CronJob).patch({ namespace, name: 'tick' }, { type: 'merge', body: { spec } });
const jobsOf = async (namespace: string) => (await cluster.client.resource(Job).list({ namespace })).items;
const namesOf = async (namespace: string) => (await jobsOf(namespace)).map(({ metadata }) => metadata.name);
const minuteOf = (ms: number) => Math.floor(ms / minuteMs);

async function finish(job: Job, outcome: 'Complete' | 'Failed'): Promise<void> {
  const now = formatTime(cluster.clock.now());
  const interim = outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [interim, outcome].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    lastProbeTime: now,
    reason: 'R',
    message: '',
  }));
  const times = { startTime: now, ...(outcome === 'Complete' && { completionTime: now }) };
  const status = { ...times, conditions };
  const { namespace = '', name = '' } = job.metadata;
  await cluster.client.resource(Job).status.patch({ namespace, name }, { type: 'merge', body: { status } });
}

describe('CronJob controller', () => {
  it('starts a job each minute, and lists it as active until it has ended', async () => {
    await create('each-minute', { timeZone: 'Asia/Kolkata' });
    expect(await jobsOf('each-minute')).toEqual([]);
    await cluster.advance(minuteMs);
    const due = cluster.clock.now() - (cluster.clock.now() % minuteMs);
    const [job] = await jobsOf('each-minute');
    expect(job?.metadata.name).toBe(`tick-${minuteOf(due)}`);
    expect(job?.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp']).toMatch(/:00\+05:30$/);
    const { metadata, status } = await read('each-minute');
    expect(job?.metadata.ownerReferences).toMatchObject([{ kind: 'CronJob', uid: metadata.uid, controller: true }]);
    expect(status?.lastScheduleTime).toBe(formatTime(due));
    expect(status?.active).toMatchObject([{ kind: 'Job', apiVersion: 'batch/v1', uid: job?.metadata.uid }]);

    if (job) await finish(job, 'Complete');
    await cluster.settle();
    const ended = (await read('each-minute')).status;
    expect(ended?.active).toBeUndefined();
    expect(ended?.lastSuccessfulTime).toBe(formatTime(cluster.clock.now()));
    await change('each-minute', { suspend: true });
    await cluster.advance(3 * minuteMs);
    expect(await namesOf('each-minute')).toEqual([`tick-${minuteOf(due)}`]);
    expect(await cluster.events('each-minute')).toEqual([
      `tick: Normal SawCompletedJob: Saw completed job: ${job?.metadata.name}, condition: Complete`,
      `tick: Normal SuccessfulCreate: Created job ${job?.metadata.name}`,
    ]);
  });

  it('follows the concurrency policy', async () => {
    await create('forbid', { concurrencyPolicy: 'Forbid' });
    await create('replace', { concurrencyPolicy: 'Replace' });
    await create('allow', { concurrencyPolicy: 'Allow' });
    await cluster.advance(2 * minuteMs);
    const last = minuteOf(cluster.clock.now());
    expect(await namesOf('forbid')).toEqual([`tick-${last - 1}`]);
    expect(await namesOf('replace')).toEqual([`tick-${last}`]);
    expect(await namesOf('allow')).toEqual([`tick-${last - 1}`, `tick-${last}`]);
    expect((await read('replace')).status?.active).toHaveLength(1);
    expect(await cluster.events('forbid')).toContain(
      'tick: Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
    );
    expect(await cluster.events('replace')).toContain(`tick: Normal SuccessfulDelete: Deleted job tick-${last - 1}`);
    for (const namespace of ['forbid', 'replace', 'allow']) await change(namespace, { suspend: true });
  });

  it('deletes the oldest finished jobs beyond the history limits', async () => {
    await create('history', { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 });
    for (const outcome of ['Complete', 'Failed', 'Complete', 'Failed', 'Complete'] as const) {
      await cluster.advance(minuteMs);
      for (const job of await jobsOf('history')) if (!job.status?.conditions) await finish(job, outcome);
    }
    await change('history', { suspend: true });
    await cluster.settle();
    const last = minuteOf(cluster.clock.now());
    expect(await namesOf('history')).toEqual([`tick-${last - 2}`, `tick-${last - 1}`, `tick-${last}`]);
  });

  it('starts one job for all missed runs, unless the starting deadline has passed', async () => {
    const suspended = { suspend: true, schedule: '*/10 * * * *' };
    await create('missed', suspended);
    await create('too-late', { ...suspended, startingDeadlineSeconds: 30 });
    cluster.clock.jumpWall(dayMs - (cluster.clock.now() % dayMs) + 5 * minuteMs);
    for (const namespace of ['missed', 'too-late']) await change(namespace, { suspend: false });
    await cluster.settle();
    expect(await namesOf('missed')).toEqual([`tick-${minuteOf(cluster.clock.now()) - 5}`]);
    expect(await namesOf('too-late')).toEqual([]);
    expect(await cluster.events('missed')).toContain(
      'tick: Warning TooManyMissedTimes: too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
    );
    for (const namespace of ['missed', 'too-late']) await change(namespace, { suspend: true });
  });

  it('skips times that a new schedule would have matched earlier', async () => {
    await create('changed', { schedule: '@yearly' });
    await cluster.advance(5 * minuteMs);
    await change('changed', { schedule: '*/2 * * * *' });
    await cluster.settle();
    expect(await jobsOf('changed')).toEqual([]);
    await cluster.advance(2 * minuteMs + 1_000);
    expect(await jobsOf('changed')).toHaveLength(1);
    await change('changed', { suspend: true });
  });

  it('reports an active job that no longer exists', async () => {
    await create('lost', {});
    await cluster.advance(minuteMs + 1_000);
    const [name = ''] = await namesOf('lost');
    await cluster.client.resource(Job).delete({ namespace: 'lost', name }, { propagationPolicy: 'Background' });
    await change('lost', { suspend: true });
    expect(await cluster.events('lost')).toContain(`tick: Normal MissingJob: Active job went missing: ${name}`);
    expect((await read('lost')).status?.active).toBeUndefined();
  });

  it('runs once a week for a year, including the days on which clocks change', async () => {
    await create('berlin', { schedule: '30 2 * * sun', timeZone: 'Europe/Berlin', successfulJobsHistoryLimit: 1 });
    const times: string[] = [];
    const sundays = Array.from({ length: 52 }, (_, week) => Date.UTC(2026, 0, 4 + 7 * week));
    for (const wake of sundays.flatMap((sunday) => [sunday + 31 * minuteMs, sunday + 91 * minuteMs])) {
      // The clock jumps, as on a machine that was asleep, so no timer fires. The patch triggers a reconcile.
      cluster.clock.jumpWall(wake - cluster.clock.now());
      const body = { metadata: { annotations: { wake: String(wake) } } };
      await cluster.client.resource(CronJob).patch({ namespace: 'berlin', name: 'tick' }, { type: 'merge', body });
      await cluster.settle();
      for (const job of await jobsOf('berlin')) {
        if (job.status?.conditions) continue;
        times.push(job.metadata.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '');
        await finish(job, 'Complete');
      }
    }
    expect(times.filter((time) => !/T02:30:00\+0[12]:00$/.test(time))).toEqual([]);
    // On March 29, there is no 02:30. On October 25, there are two.
    expect(times.filter((time) => /-03-29|-10-25/.test(time))).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
    ]);
    expect(times).toHaveLength(52);
    await cluster.settle();
    expect(await jobsOf('berlin')).toHaveLength(1);
  });
});
