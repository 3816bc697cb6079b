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
  async 'budget: minAvailable for pods without a controller'(t) {
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
  async "budget: percentage of a deployment's replicas"(t) {
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
  async 'budget: maxUnavailable as a number'(t) {
    await t.create('deployments', deployment(3));
    await t.create('poddisruptionbudgets', budget({ maxUnavailable: 1 }));
    await settled(t, ({ disruptionsAllowed }) => disruptionsAllowed === 1);
    await statusOf(t, 'three');
  },
  async 'budget: pods controlled by custom resources'(t) {
    const group = `${t.namespace}.example.com`;
    const kinds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const spec = { type: 'object', properties: { replicas: { type: 'integer' } } };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    for (const [plural, kind, subresources] of [['sets', 'Set', { scale }], ['plains', 'Plain', {}]]) {
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
      const versions = [{ name: 'v1', served: true, storage: true, schema, subresources }];
      await t.call('POST', kinds, { metadata: { name: `${plural}.${group}` }, spec: { group, scope: 'Namespaced', names: { plural, kind }, versions } });
    }
    const make = (plural, kind) =>
      t.until(kind, async () => {
        const body = { apiVersion: `${group}/v1`, kind, metadata: { name: 'one' }, spec: { replicas: 4 } };
        const { json, status } = await t.call('POST', `/apis/${group}/v1/namespaces/${t.namespace}/${plural}`, body);
        return status < 300 && json;
      });
    const [set, plain] = [await make('sets', 'Set'), await make('plains', 'Plain')];
    const owned = (name, { apiVersion, kind, metadata }) => {
      const { metadata: own, ...rest } = pod(name);
      const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
      return { ...rest, metadata: { ...own, ownerReferences: [reference] } };
    };
    for (const name of ['a', 'b', 'c']) await t.create('pods', owned(name, set));
    await t.create('poddisruptionbudgets', budget({ maxUnavailable: '50%' }));
    await settled(t, ({ currentHealthy, expectedPods }) => currentHealthy === 3 && expectedPods === 4);
    await statusOf(t, 'scaled');
    await t.create('pods', owned('d', plain));
    await settled(t, ({ conditions }) => conditions.some(({ reason }) => reason === 'SyncFailed'));
    await statusOf(t, 'no scale');
    await t.delete('pods', 'd');
    await t.create('pods', pod('alone'));
    await settled(t, ({ currentHealthy, conditions }) => currentHealthy === 4 && conditions.every(({ reason }) => reason !== 'SyncFailed'));
    await t.until('the events', async () => {
      const reasons = (await t.list('events')).map(({ reason }) => reason);
      return ['UnmanagedPods', 'CalculateExpectedPodCountFailed'].every((reason) => reasons.includes(reason));
    });
    await t.picture('unmanaged', { events: true });
    for (const plural of ['sets', 'plains']) await t.call('DELETE', `${kinds}/${plural}.${group}`);
  },
};
