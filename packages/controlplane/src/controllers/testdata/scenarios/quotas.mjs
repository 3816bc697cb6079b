/** ResourceQuotas. The objects are created before the quota, so only the controller, not admission, computes its usage. */
const quota = (hard, spec = {}) => ({ metadata: { name: 'limits' }, spec: { hard, ...spec } });
const pod = (name, spec = {}, resources = {}) => ({
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'c', image: 'app:1', resources }], ...spec },
});
const counted = (t, what, expected) =>
  t.until(what, async () => {
    const { status } = await t.get('resourcequotas', 'limits');
    return Object.entries(expected).every(([name, amount]) => status?.used?.[name] === amount);
  });

export const quotas = {
  async 'quota: pods, services, claims'(t) {
    await t.create('pods', pod('plain'));
    await t.create('pods', pod('sized', {}, { requests: { cpu: '250m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi', 'example.com/gpu': '2' } }));
    const initContainers = [
      { name: 'i', image: 'app:1', resources: { requests: { cpu: '2' } } },
      { name: 's', image: 'app:1', restartPolicy: 'Always', resources: { requests: { cpu: '100m', memory: '1Gi' } } },
    ];
    await t.create('pods', pod('steps', { initContainers }, { requests: { cpu: '1500m', 'ephemeral-storage': '1G' } }));
    await t.create('pods', { ...pod('over'), spec: { ...pod('over').spec, restartPolicy: 'Never', containers: [{ name: 'c', image: 'ok:1' }] } });
    await t.until('its end', async () => (await t.get('pods', 'over')).status.phase === 'Succeeded');
    const ports = [{ port: 80, name: 'a' }, { port: 81, name: 'b' }];
    for (const type of ['ClusterIP', 'NodePort', 'LoadBalancer']) await t.create('services', { metadata: { name: type.toLowerCase() }, spec: { type, ports } });
    const claim = (name, storage, storageClassName) => ({ metadata: { name }, spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } } });
    await t.create('persistentvolumeclaims', claim('a', '1Gi', 'none'));
    await t.create('persistentvolumeclaims', claim('b', '1.5Gi', ''));
    const hard = Object.fromEntries(
      ['pods', 'count/pods', 'cpu', 'requests.cpu', 'limits.cpu', 'memory', 'requests.memory', 'limits.memory', 'requests.ephemeral-storage', 'requests.example.com/gpu', 'services', 'services.nodeports',
        'services.loadbalancers', 'count/services', 'persistentvolumeclaims', 'requests.storage', 'none.storageclass.storage.k8s.io/requests.storage', 'none.storageclass.storage.k8s.io/persistentvolumeclaims',
        'configmaps', 'secrets', 'count/secrets', 'resourcequotas', 'replicationcontrollers', 'count/deployments.apps', 'count/nothing.example.com'].map((name) => [name, '100Gi']),
    );
    await t.create('resourcequotas', quota(hard));
    await counted(t, 'the usage', { pods: '3', 'count/pods': '4', services: '3', configmaps: '1', 'count/deployments.apps': '0' });
    await t.picture('counted');
    await t.delete('pods', 'sized');
    await t.delete('persistentvolumeclaims', 'a');
    await t.delete('services', 'nodeport');
    await counted(t, 'less', { 'count/pods': '3', services: '2', persistentvolumeclaims: '1' });
    await t.picture('fewer');
  },
  async 'quota: scopes'(t) {
    await t.create('pods', pod('best-effort'));
    await t.create('pods', pod('sized', {}, { requests: { cpu: '1' } }));
    await t.create('pods', pod('deadline', { activeDeadlineSeconds: 3600 }));
    await t.create('pods', pod('critical', { priorityClassName: 'system-node-critical' }));
    const matchExpressions = (...requirements) => ({ scopeSelector: { matchExpressions: requirements } });
    const quotas = {
      best: [{ pods: '10' }, { scopes: ['BestEffort'] }],
      sized: [{ pods: '10', cpu: '10' }, { scopes: ['NotBestEffort'] }],
      terminating: [{ pods: '10' }, { scopes: ['Terminating'] }],
      lasting: [{ pods: '10' }, { scopes: ['NotTerminating', 'BestEffort'] }],
      priority: [{ pods: '10' }, matchExpressions({ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] })],
      other: [{ pods: '10' }, matchExpressions({ scopeName: 'PriorityClass', operator: 'NotIn', values: ['system-node-critical'] })],
      none: [{ pods: '10' }, matchExpressions({ scopeName: 'PriorityClass', operator: 'DoesNotExist' })],
      any: [{ pods: '10' }, matchExpressions({ scopeName: 'PriorityClass', operator: 'Exists' })],
    };
    for (const [name, [hard, spec]] of Object.entries(quotas)) await t.create('resourcequotas', { metadata: { name }, spec: { hard, ...spec } });
    await t.until('their usage', async () => (await t.list('resourcequotas')).every(({ status }) => status.used));
    await t.picture('counted');
  },
  async 'quota: object counts'(t) {
    await t.create('configmaps', { metadata: { name: 'first' } });
    await t.create('resourcequotas', quota({ 'count/configmaps': '10', configmaps: '10', 'count/replicasets.apps': '5' }));
    await counted(t, 'the first count', { configmaps: '2' });
    await t.create('configmaps', { metadata: { name: 'second' } });
    await counted(t, 'one more', { configmaps: '3', 'count/configmaps': '3' });
    await t.delete('configmaps', 'first');
    await counted(t, 'one less', { configmaps: '2' });
    await t.picture('counted');
  },
};
