/** Jobs. */
const job = (image, spec = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'work' },
  spec: { template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image }] } }, ...spec },
});
const has = (type) => (status) => status.conditions?.some((each) => each.type === type && each.status === 'True');
async function until(t, what, condition) {
  return t.until(what, async () => condition((await t.get('jobs', 'work')).status ?? {}));
}

export const jobs = {
  async 'job: completes'(t) {
    await t.create('jobs', job('ok:1', { completions: 3, parallelism: 2 }));
    await until(t, 'the end', has('Complete'));
    await t.picture('complete', { events: true });
  },
  async 'job: indexed'(t) {
    await t.create('jobs', job('ok:1', { completions: 3, parallelism: 3, completionMode: 'Indexed' }));
    await until(t, 'the end', has('Complete'));
    await t.picture('complete', { events: true });
  },
  async 'job: fails'(t) {
    await t.create('jobs', job('fail:1', { backoffLimit: 0 }));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: waits before it tries again'(t) {
    await t.create('jobs', job('fail:1', { backoffLimit: 3 }));
    await until(t, 'the first failure', (status) => status.failed === 1);
    await t.picture('backing off');
  },
  async 'job: too late'(t) {
    await t.create('jobs', job('app:1', { activeDeadlineSeconds: 2, parallelism: 2 }));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: suspended and resumed'(t) {
    await t.create('jobs', job('app:1', { suspend: true, parallelism: 2 }));
    await until(t, 'the suspension', has('Suspended'));
    await t.picture('suspended', { events: true });
    await t.patch('jobs', 'work', { spec: { suspend: false } });
    await until(t, 'its pods', (status) => status.ready === 2);
    await t.picture('running', { events: true });
    await t.patch('jobs', 'work', { spec: { suspend: true } });
    await until(t, 'the suspension', (status) => has('Suspended')(status) && !status.active && !status.terminating);
    await t.picture('suspended again');
  },
  async 'job: a failure that ends it'(t) {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
    await t.create('jobs', job('fail-42:1', { podFailurePolicy: { rules }, parallelism: 1 }));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: deleted with its pods'(t) {
    await t.create('jobs', job('app:1', { parallelism: 2 }));
    await until(t, 'its pods', (status) => status.ready === 2);
    await t.delete('jobs', 'work', { propagationPolicy: 'Background' });
    await t.until('the pods to go', async () => (await t.list('pods')).length === 0);
  },
  async 'job: goes by itself'(t) {
    await t.create('jobs', job('ok:1', { ttlSecondsAfterFinished: 1 }));
    await t.until('it to go', async () => !(await t.get('jobs', 'work')) && (await t.list('pods')).length === 0);
  },
};
