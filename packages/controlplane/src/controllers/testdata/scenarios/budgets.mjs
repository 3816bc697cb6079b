/** Disruption budgets and the evictions that they allow. */
const budget = (spec) => ({ metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'web' } }, ...spec } });
const pod = (name) => ({ metadata: { name, labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } });
const deployment = (replicas) => ({
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } } },
});
const settled = (t, condition) =>
  t.until('the budget', async () => {
    const { status, metadata } = await t.get('poddisruptionbudgets', 'b');
    return status?.observedGeneration === metadata.generation && condition(status) && status;
  });
const statusOf = async (t, name) => t.keep(name, (await t.get('poddisruptionbudgets', 'b')).status);
const evict = (t, name) =>
  t.call('POST', t.path('pods/eviction', name), { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: t.namespace } });

export const budgets = {
  async 'budget: a number of pods without a controller'(t) {
    await t.create('poddisruptionbudgets', budget({ minAvailable: 2 }));
    await settled(t, () => true);
    await t.picture('no pods');
    for (const name of ['one', 'two', 'three']) await t.create('pods', pod(name));
    await settled(t, ({ currentHealthy }) => currentHealthy === 3);
    await statusOf(t, 'three');
    await t.patch('pods', 'one', { metadata: { annotations: { linger: 'yes' } } });
    const { status } = await evict(t, 'one');
    t.keep('evicted', { allowed: status < 300 });
    await settled(t, ({ currentHealthy, disruptionsAllowed }) => currentHealthy === 2 && disruptionsAllowed === 0);
    const refused = await evict(t, 'two');
    t.keep('refused', { status: refused.status, message: refused.json.message, causes: refused.json.details?.causes });
    await t.patch('pods', 'one', { metadata: { annotations: { linger: null } } });
    await t.until('the pod to go', async () => (await t.get('pods', 'one')) === undefined);
    await settled(t, ({ expectedPods }) => expectedPods === 2);
    await statusOf(t, 'two');
  },
  async 'budget: a share of what a deployment wants'(t) {
    await t.create('deployments', deployment(4));
    await t.create('poddisruptionbudgets', budget({ maxUnavailable: '30%' }));
    await settled(t, ({ currentHealthy }) => currentHealthy === 4);
    await statusOf(t, 'four');
    await t.patch('poddisruptionbudgets', 'b', { spec: { maxUnavailable: null, minAvailable: '100%' } });
    await settled(t, ({ disruptionsAllowed }) => disruptionsAllowed === 0);
    await statusOf(t, 'all');
    await t.patch('deployments', 'web', { spec: { replicas: 1 } });
    await settled(t, ({ expectedPods, currentHealthy }) => expectedPods === 1 && currentHealthy === 1);
    await statusOf(t, 'one');
  },
  async 'budget: one missing, of a number'(t) {
    await t.create('deployments', deployment(3));
    await t.create('poddisruptionbudgets', budget({ maxUnavailable: 1 }));
    await settled(t, ({ disruptionsAllowed }) => disruptionsAllowed === 1);
    await statusOf(t, 'three');
  },
};
