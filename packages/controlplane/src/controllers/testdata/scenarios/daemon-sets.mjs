/** DaemonSets on two dedicated nodes, whose taint other pods do not tolerate. */
const strategy = (spec) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: spec } });
const merge = 'application/merge-patch+json';

function daemonSet(namespace, image, spec = {}) {
  const tolerations = [{ key: 'group', operator: 'Equal', value: namespace, effect: 'NoSchedule' }];
  const template = {
    metadata: { labels: { app: 'agent' } },
    spec: { nodeSelector: { group: namespace }, tolerations, terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image }] },
  };
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec: { selector: { matchLabels: { app: 'agent' } }, template, ...spec } };
}

async function withNodes(t, run) {
  const names = ['a', 'b'].map((name) => `${t.namespace}-${name}`);
  const taints = [{ key: 'group', value: t.namespace, effect: 'NoSchedule' }];
  for (const name of names) {
    await t.call('POST', '/api/v1/nodes', { metadata: { name, labels: { group: t.namespace } }, spec: { taints } });
    const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'played', lastHeartbeatTime: now(), lastTransitionTime: now() };
    const amounts = { cpu: '4', memory: '4Gi', pods: '10' };
    await t.call('PATCH', `/api/v1/nodes/${name}/status`, { status: { capacity: amounts, allocatable: amounts, conditions: [condition] } }, merge);
    await t.call('PATCH', `/api/v1/nodes/${name}`, { spec: { taints } }, merge);
  }
  try {
    await run(names);
  } finally {
    for (const name of names) await t.call('DELETE', `/api/v1/nodes/${name}`);
  }
}

const now = () => new Date(Date.now()).toISOString().replace(/\.\d+Z$/, 'Z');
const until = (t, what, condition) =>
  t.until(what, async () => {
    const { status, metadata } = await t.get('daemonsets', 'agent');
    return status.observedGeneration === metadata.generation && condition(status);
  });
const ready = (count) => (status) => status.numberAvailable === count && status.updatedNumberScheduled === count && !status.numberUnavailable;
const image = (name) => ({ spec: { template: { spec: { containers: [{ name: 'c', image: name }] } } } });

export const daemonSets = {
  async 'daemon set: one pod on each node'(t) {
    await withNodes(t, async ([first]) => {
      await t.create('daemonsets', daemonSet(t.namespace, 'app:1'));
      await until(t, 'its pods', ready(2));
      await t.picture('running', { events: true });
      const [{ spec }] = (await t.list('pods')).filter(({ spec }) => spec.nodeName === first);
      t.keep('tolerations and affinity', { tolerations: spec.tolerations, affinity: spec.affinity });
      await t.call('PATCH', `/api/v1/nodes/${first}`, { metadata: { labels: { group: null } } }, merge);
      await until(t, 'one pod', (status) => status.desiredNumberScheduled === 1 && status.numberMisscheduled === 0);
      await t.picture('one node left');
    });
  },
  async 'daemon set: rolling update'(t) {
    await withNodes(t, async () => {
      await t.create('daemonsets', daemonSet(t.namespace, 'app:1'));
      await until(t, 'its pods', ready(2));
      await t.patch('daemonsets', 'agent', image('unready:2'), 'strategic');
      await until(t, 'one unavailable pod', (status) => status.updatedNumberScheduled === 1 && status.numberReady === 1);
      await t.picture('stuck');
      await t.patch('daemonsets', 'agent', image('app:3'), 'strategic');
      await until(t, 'the update', ready(2));
      await t.picture('updated', { events: true });
      await t.patch('daemonsets', 'agent', image('app:1'), 'strategic');
      await until(t, 'the rollback', ready(2));
      await t.picture('rolled back');
    });
  },
  async 'daemon set: update with surge'(t) {
    await withNodes(t, async () => {
      await t.create('daemonsets', daemonSet(t.namespace, 'app:1', strategy({ maxSurge: 1, maxUnavailable: 0 })));
      await until(t, 'its pods', ready(2));
      // The status counts the older of two pods, and creation times have a resolution of one second.
      await t.until('the next second', async () => (await t.list('pods')).every(({ metadata }) => Date.now() - Date.parse(metadata.creationTimestamp) > 1_000));
      await t.patch('daemonsets', 'agent', image('unready:2'), 'strategic');
      await t.until('a third pod', async () => (await t.list('pods')).filter(({ status }) => status.phase === 'Running').length === 3);
      await t.picture('surging');
      await t.patch('daemonsets', 'agent', image('app:3'), 'strategic');
      await until(t, 'the update', ready(2));
      await t.picture('updated');
    });
  },
  async 'daemon set: OnDelete strategy'(t) {
    await withNodes(t, async ([first]) => {
      await t.create('daemonsets', daemonSet(t.namespace, 'app:1', { updateStrategy: { type: 'OnDelete' } }));
      await until(t, 'its pods', ready(2));
      await t.patch('daemonsets', 'agent', image('app:2'), 'strategic');
      await until(t, 'the new template', (status) => !status.updatedNumberScheduled);
      await t.rest();
      const [{ metadata }] = (await t.list('pods')).filter(({ spec }) => spec.nodeName === first);
      await t.delete('pods', metadata.name);
      await until(t, 'its successor', (status) => status.updatedNumberScheduled === 1 && status.numberAvailable === 2);
      await t.picture('half updated');
    });
  },
  async 'daemon set: replaces failed pods'(t) {
    await withNodes(t, async ([first]) => {
      await t.create('daemonsets', daemonSet(t.namespace, 'app:1'));
      await until(t, 'its pods', ready(2));
      const [{ metadata }] = (await t.list('pods')).filter(({ spec }) => spec.nodeName === first);
      await t.call('PATCH', `${t.path('pods', metadata.name)}/status`, { status: { phase: 'Failed', reason: 'Evicted' } }, merge);
      await t.until('its successor', async () => {
        const pods = await t.list('pods');
        return pods.length === 2 && pods.every((pod) => pod.status.phase === 'Running' && pod.metadata.uid !== metadata.uid);
      });
      await until(t, 'its pods', ready(2));
      await t.picture('replaced', { events: true });
    });
  },
};
