/** CronJobs whose last schedule time is set back, so that a run is due immediately. */
const cronJob = (image, spec = {}) => {
  const template = { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image }] } };
  const jobTemplate = { metadata: { labels: { made: 'by-cron' }, annotations: { a: 'b' } }, spec: { backoffLimit: 0, template } };
  return { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' }, spec: { schedule: '0 0 * * *', suspend: true, jobTemplate, ...spec } };
};

async function due(t, { days = 1 } = {}) {
  const lastScheduleTime = new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await t.patch('cronjobs/status', 'tick', { status: { lastScheduleTime } });
  await t.patch('cronjobs', 'tick', { spec: { suspend: false } });
}

const idle = (t, what) => t.until(what, async () => {
  const jobs = await t.list('jobs');
  return jobs.length > 0 && jobs.every(({ status }) => status.conditions?.some(({ type }) => type === 'Complete' || type === 'Failed')) && !(await t.get('cronjobs', 'tick')).status.active;
});

export const cronJobs = {
  async 'cron job: a run that succeeds'(t) {
    await t.create('cronjobs', cronJob('ok:1', { timeZone: 'Asia/Kolkata' }));
    await due(t);
    await idle(t, 'the end');
    await t.picture('complete', { events: true });
  },
  async 'cron job: a run that fails'(t) {
    await t.create('cronjobs', cronJob('fail:1', { failedJobsHistoryLimit: 0 }));
    await due(t);
    await t.until('its job to go', async () => JSON.stringify(await t.list('events')).includes('Deleted job tick') && (await t.list('jobs')).length === 0);
    await t.picture('gone');
  },
  async 'cron job: too many missed runs'(t) {
    await t.create('cronjobs', cronJob('app:1', { schedule: '0 * * * *' }));
    await due(t, { days: 10 });
    await t.until('its job', async () => (await t.get('cronjobs', 'tick')).status.active?.length === 1);
    await t.until('its pod', async () => (await t.list('jobs'))[0].status.ready === 1);
    await t.picture('running', { events: true });
    const [{ metadata }] = await t.list('jobs');
    await t.delete('jobs', metadata.name, { propagationPolicy: 'Background' });
    await t.until('it to be missed', async () => !(await t.get('cronjobs', 'tick')).status.active);
    await t.picture('missing', { events: true });
  },
  async 'cron job: starting deadline exceeded'(t) {
    await t.create('cronjobs', cronJob('app:1', { startingDeadlineSeconds: 1, schedule: '0 0 1 1 *' }));
    await due(t, { days: 800 });
    await t.rest();
    await t.picture('nothing', { events: true });
  },
};
