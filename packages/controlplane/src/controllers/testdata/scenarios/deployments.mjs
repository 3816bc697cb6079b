/** Scenarios of deployments, replica sets and replication controllers. */
export const template = (image, labels = { app: 'web' }) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 1 },
});

const deployment = (spec = {}, image = 'app:1') => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' }, annotations: { note: 'mine' } },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template(image), ...spec },
});

const image = (text) => ({ spec: { template: { spec: { containers: [{ name: 'c', image: text }] } } } });

export async function complete(t, replicas = 2) {
  await t.until('the rollout', async () => {
    const { metadata, spec, status } = await t.get('deployments', 'web');
    return (
      status.observedGeneration >= metadata.generation &&
      spec.replicas === replicas &&
      (status.updatedReplicas ?? 0) === replicas &&
      (status.replicas ?? 0) === replicas &&
      (status.availableReplicas ?? 0) === replicas &&
      status.conditions?.some(({ type, reason }) => type === 'Progressing' && reason === 'NewReplicaSetAvailable')
    );
  });
}

const replicaSet = (replicas, more = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'set' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template('app:1'), ...more },
});
const ready = (t, count) =>
  t.until(`${count} ready pods`, async () => {
    const { spec, status } = await t.get('replicasets', 'set');
    return spec.replicas === count && status.replicas === count && (status.availableReplicas ?? 0) === count;
  });

export const deployments = {
  async 'deployment: create, scale up, scale down'(t) {
    await t.create('deployments', deployment());
    await complete(t);
    await t.picture('created', { events: true });
    await t.patch('deployments', 'web', { spec: { replicas: 4 } });
    await complete(t, 4);
    await t.patch('deployments', 'web', { spec: { replicas: 1 } });
    await complete(t, 1);
    await t.picture('scaled', { events: true });
  },
  async 'deployment: rolling update, rollback, history'(t) {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await t.create('deployments', deployment({ strategy }));
    await complete(t);
    await t.patch('deployments', 'web', image('app:2'), 'strategic');
    await complete(t);
    await t.picture('updated', { events: true });
    await t.patch('deployments', 'web', image('app:3'), 'strategic');
    await complete(t);
    await t.patch('deployments', 'web', image('app:1'), 'strategic');
    await complete(t);
    await t.picture('rolled back');
    await t.patch('deployments', 'web', { spec: { revisionHistoryLimit: 0 } });
    await t.until('old revisions to go', async () => (await t.list('replicasets')).length === 1);
    await t.picture('history limited');
  },
  async 'deployment: update that never becomes ready'(t) {
    await t.create('deployments', deployment({ replicas: 4, progressDeadlineSeconds: 2 }));
    await complete(t, 4);
    await t.patch('deployments', 'web', image('bad:2'), 'strategic');
    await t.until('the deadline', async () => {
      const { status } = await t.get('deployments', 'web');
      return status.conditions.some(({ reason }) => reason === 'ProgressDeadlineExceeded');
    });
    await t.picture('stuck', { events: true });
    await t.patch('deployments', 'web', { spec: { replicas: 8 } });
    await t.until('the resize', async () => (await t.get('deployments', 'web')).status.readyReplicas === 6);
    // Leave out the Deployment, because its status depends on timing: the resize counts as progress until the deadline passes
    // again.
    await t.pictureOf('resized in proportion', ['replicasets', 'pods']);
  },
  async 'deployment: pause and resume'(t) {
    await t.create('deployments', deployment());
    await complete(t);
    await t.patch('deployments', 'web', { spec: { paused: true } });
    await t.patch('deployments', 'web', image('app:2'), 'strategic');
    await t.patch('deployments', 'web', { spec: { replicas: 3 } });
    await t.until('the paused resize', async () => (await t.get('deployments', 'web')).status.availableReplicas === 3);
    await t.picture('paused');
    await t.patch('deployments', 'web', { spec: { paused: false } });
    await complete(t, 3);
    await t.picture('resumed');
  },
  async 'deployment: recreate'(t) {
    await t.create('deployments', deployment({ strategy: { type: 'Recreate', rollingUpdate: null } }));
    await complete(t);
    await t.patch('deployments', 'web', image('app:2'), 'strategic');
    await complete(t);
    await t.picture('recreated', { events: true });
  },
  async 'deployment: restart, and changed annotations'(t) {
    await t.create('deployments', deployment({ minReadySeconds: 1 }));
    await complete(t);
    await t.patch('deployments', 'web', { metadata: { annotations: { note: 'other', 'kubernetes.io/change-cause': 'because' } } });
    await t.until('the annotation', async () => (await t.list('replicasets'))[0].metadata.annotations.note === 'other');
    await t.patch('deployments', 'web', { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } } });
    await complete(t);
    await t.picture('restarted');
  },
  async 'deployment: background deletion'(t) {
    await t.create('deployments', deployment());
    await complete(t);
    await t.delete('deployments', 'web', { propagationPolicy: 'Background' });
    await t.until('everything to go', async () => (await t.list('replicasets')).length + (await t.list('pods')).length === 0);
    await t.picture('gone');
  },
  async 'replica set: adopts and releases pods, and keeps the number of replicas'(t) {
    await t.create('pods', { metadata: { name: 'stray', labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } });
    await t.until('the stray pod', async () => (await t.get('pods', 'stray')).status.phase === 'Running');
    await t.rest();
    await t.create('replicasets', replicaSet(2));
    await ready(t, 2);
    await t.picture('adopted', { events: true });
    await t.patch('pods', 'stray', { metadata: { labels: { app: 'other' } } });
    await t.until('the release', async () => (await t.list('pods')).length === 3);
    await ready(t, 2);
    await t.picture('released');
    const [victim] = (await t.list('pods')).filter(({ metadata }) => metadata.name !== 'stray');
    await t.delete('pods', victim.metadata.name);
    await t.until('a new pod', async () => !(await t.list('pods')).some(({ metadata }) => metadata.uid === victim.metadata.uid));
    await ready(t, 2);
    await t.patch('replicasets', 'set', { spec: { replicas: 0 } });
    await ready(t, 0);
    await t.picture('empty');
  },
  async 'replica set: pods that cannot be created'(t) {
    await t.create('replicasets', replicaSet(2, { template: { ...template('app:1'), spec: { ...template('app:1').spec, serviceAccountName: 'missing' } } }));
    await t.until('the failure', async () => (await t.get('replicasets', 'set')).status.conditions?.length > 0);
    await t.picture('failing');
  },
  async 'replica set: deletes pods of low deletion cost first'(t) {
    await t.create('replicasets', replicaSet(4));
    await ready(t, 4);
    const names = (await t.list('pods')).map(({ metadata }) => metadata.name);
    await t.patch('pods', names[2], { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5', linger: 'yes' } } });
    await t.patch('pods', names[1], { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '10' } } });
    await t.rest();
    await t.patch('replicasets', 'set', { spec: { replicas: 3 } });
    await t.until('the cheapest to go', async () => (await t.get('pods', names[2])).metadata.deletionTimestamp);
    await t.picture('terminating');
    await t.patch('replicasets', 'set', { spec: { replicas: 1 } });
    await ready(t, 1);
    const left = (await t.list('pods')).filter(({ metadata }) => !metadata.deletionTimestamp);
    if (left[0].metadata.name !== names[1]) throw new Error('the dearest pod was deleted');
  },
  async 'replication controller: creates its pods'(t) {
    await t.create('replicationcontrollers', { metadata: { name: 'rc' }, spec: { replicas: 2, selector: { app: 'web' }, template: template('app:1') } });
    await t.until('its pods', async () => (await t.get('replicationcontrollers', 'rc')).status.availableReplicas === 2);
    await t.picture('running', { events: true });
  },
};
