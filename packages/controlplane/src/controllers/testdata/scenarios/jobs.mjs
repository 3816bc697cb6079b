/** Scenarios of jobs. */
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
  async 'job: backs off after a failure'(t) {
    await t.create('jobs', job('fail:1', { backoffLimit: 3 }));
    await until(t, 'the first failure', (status) => status.failed === 1);
    await t.picture('backing off');
  },
  async 'job: active deadline exceeded'(t) {
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
  async 'job: pod failure policy FailJob'(t) {
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
  async 'job: TTL after finished'(t) {
    await t.create('jobs', job('ok:1', { ttlSecondsAfterFinished: 1 }));
    await t.until('it to go', async () => !(await t.get('jobs', 'work')) && (await t.list('pods')).length === 0);
  },
  async 'job: success policy'(t) {
    const rules = [{ succeededIndexes: '0-1', succeededCount: 1 }];
    await t.create('jobs', job('app:1', { completions: 3, parallelism: 3, completionMode: 'Indexed', successPolicy: { rules } }));
    await until(t, 'its pods', (status) => status.ready === 3);
    const [{ metadata }] = (await t.list('pods')).filter((each) => each.metadata.labels['batch.kubernetes.io/job-completion-index'] === '1');
    await t.patch('pods/status', metadata.name, { status: { phase: 'Succeeded' } });
    await until(t, 'the end', has('Complete'));
    await t.picture('complete', { events: true });
  },
  async 'job: backoff limit per index'(t) {
    await t.create('jobs', job('fail:1', { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 }));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: maxFailedIndexes exceeded'(t) {
    await t.create('jobs', job('fail:1', { completions: 4, parallelism: 1, completionMode: 'Indexed', backoffLimitPerIndex: 0, maxFailedIndexes: 1 }));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: pod failure policy FailIndex'(t) {
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }];
    const spec = { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 3, podFailurePolicy: { rules } };
    await t.create('jobs', job('fail-42:1', spec));
    await until(t, 'the end', has('Failed'));
    await t.picture('failed', { events: true });
  },
  async 'job: pod failure policy Ignore'(t) {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    await t.create('jobs', job('app:1', { backoffLimit: 0, podFailurePolicy: { rules } }));
    await until(t, 'its pod', (status) => status.ready === 1);
    const [{ metadata }] = await t.list('pods');
    const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTest' }];
    await t.patch('pods/status', metadata.name, { status: { phase: 'Failed', conditions } }, 'strategic');
    await t.until('another pod', async () => {
      const pods = await t.list('pods');
      return pods.length === 2 && pods.every((pod) => pod.metadata.uid === metadata.uid || pod.status.phase === 'Running');
    });
    await until(t, 'it', (status) => status.ready === 1);
    await t.picture('running again', { events: true });
  },
  async 'job: pod replacement policies'(t) {
    for (const policy of ['TerminatingOrFailed', 'Failed']) {
      await t.create('jobs', { ...job('app:1', { podReplacementPolicy: policy }), metadata: { name: policy.toLowerCase() } });
    }
    const all = (condition) => async () => (await t.list('jobs')).every(({ status }) => condition(status ?? {}));
    await t.until('their pods', all((status) => status.ready === 1));
    for (const { metadata } of await t.list('pods')) {
      await t.patch('pods', metadata.name, { metadata: { annotations: { linger: 'yes' } } });
      await t.delete('pods', metadata.name);
    }
    await t.until('a successor', async () => (await t.list('pods')).filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase === 'Running').length === 1);
    await t.until('the counts', async () => {
      const counts = (await t.list('jobs')).map(({ status }) => `${status.terminating} ${status.ready}`);
      return counts.sort().join() === '1 0,1 1';
    });
    await t.picture('one replaced', { events: true });
  },
  async 'job: managed by another controller'(t) {
    await t.create('jobs', job('app:1', { managedBy: 'example.com/other' }));
    await t.rest();
    await t.picture('untouched', { events: true });
  },
  async 'job: changed parallelism'(t) {
    await t.create('jobs', job('app:1', { parallelism: 3, completions: 5 }));
    await until(t, 'its pods', (status) => status.ready === 3);
    await t.patch('jobs', 'work', { spec: { parallelism: 1 } });
    await until(t, 'fewer', (status) => status.active === 1 && status.terminating === 0);
    await t.patch('jobs', 'work', { spec: { parallelism: 2 } });
    await until(t, 'more', (status) => status.ready === 2);
    await t.picture('two', { events: true });
  },
};
