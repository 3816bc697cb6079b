/** Garbage collection and the deletion of namespaces. */
const map = (name, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more } });
const ownedBy = ({ apiVersion, kind, metadata }, more = {}) => ({ apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more });
const asConfigMap = (object) => ({ apiVersion: 'v1', kind: 'ConfigMap', ...object });

async function family(t, more = {}) {
  const owner = asConfigMap(await t.create('configmaps', map('owner')));
  const child = asConfigMap(await t.create('configmaps', map('child', { ownerReferences: [ownedBy(owner, more)] })));
  const grandchild = asConfigMap(await t.create('configmaps', map('grandchild', { ownerReferences: [ownedBy(child, more)] })));
  return { owner, child, grandchild };
}
const own = (name) => ['owner', 'child', 'grandchild', 'other', 'held'].includes(name);
const names = async (t) => (await t.list('configmaps')).map(({ metadata }) => metadata.name).filter(own).sort().join();
const left = (t, expected) => t.until(`"${expected}" to be left`, async () => (await names(t)) === expected);

export const collecting = {
  async 'garbage collection: background deletion'(t) {
    await family(t);
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Background' });
    await left(t, '');
    await t.picture('gone');
  },
  async 'garbage collection: orphaned dependents'(t) {
    await family(t);
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Orphan' });
    await left(t, 'child,grandchild');
    await t.until('the reference to go', async () => !(await t.get('configmaps', 'child')).metadata.ownerReferences);
    await t.picture('orphaned');
  },
  async 'garbage collection: foreground deletion deletes dependents first'(t) {
    const { owner } = await family(t, { blockOwnerDeletion: true });
    await t.create('configmaps', map('held', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] }));
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Foreground' });
    await left(t, 'held,owner');
    await t.picture('waiting');
    await t.patch('configmaps', 'held', { metadata: { finalizers: null } });
    await left(t, '');
    await t.picture('gone');
  },
  async 'garbage collection: foreground deletion waits only for blocking dependents'(t) {
    const { owner } = await family(t, { blockOwnerDeletion: true });
    await t.create('configmaps', map('held', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(owner)] }));
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Foreground' });
    await left(t, 'held');
    await t.until('the rest', async () => (await t.get('configmaps', 'held')).metadata.deletionTimestamp);
    await t.picture('held');
    await t.patch('configmaps', 'held', { metadata: { finalizers: null } });
  },
  async 'garbage collection: dependent with a second owner'(t) {
    const { owner } = await family(t);
    const other = asConfigMap(await t.create('configmaps', map('other')));
    await t.patch('configmaps', 'child', { metadata: { ownerReferences: [ownedBy(owner), ownedBy(other)] } });
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Background' });
    await t.until('one owner', async () => (await t.get('configmaps', 'child')).metadata.ownerReferences.length === 1);
    await t.picture('kept');
  },
  async 'garbage collection: owner that never existed'(t) {
    const uid = '11111111-2222-4333-8444-555555555555';
    await t.create('configmaps', map('child', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] }));
    await left(t, '');
  },
  async 'garbage collection: owner with the same name but another uid'(t) {
    await t.create('configmaps', map('owner'));
    const uid = '11111111-2222-4333-8444-555555555556';
    await t.create('configmaps', map('child', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }] }));
    await left(t, 'owner');
  },
  async 'garbage collection: owner in another namespace'(t) {
    const far = (await t.call('GET', '/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt')).json;
    await t.create('configmaps', map('child', { ownerReferences: [ownedBy(asConfigMap(far))] }));
    await left(t, '');
    await t.until('the event', async () => (await t.list('events')).some(({ reason }) => reason === 'OwnerRefInvalidNamespace'));
    await t.picture('refused', { events: true });
  },
  async 'garbage collection: cycle of owners'(t) {
    const { owner, child } = await family(t, { blockOwnerDeletion: true });
    await t.patch('configmaps', 'owner', { metadata: { ownerReferences: [ownedBy(child, { blockOwnerDeletion: true })] } });
    await t.delete('configmaps', 'owner', { propagationPolicy: 'Foreground' });
    await left(t, '');
  },
  async 'garbage collection: owner of a new custom kind'(t) {
    const group = `${t.namespace}.example.com`;
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    };
    await t.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    const things = `/apis/${group}/v1/namespaces/${t.namespace}/things`;
    const body = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'thing' } };
    const thing = await t.until('the kind', async () => {
      const { json, status } = await t.call('POST', things, body);
      return status < 300 && json;
    });
    await t.create('configmaps', map('child', { ownerReferences: [ownedBy(thing)] }));
    await t.call('DELETE', `${things}/thing`, { propagationPolicy: 'Foreground' });
    await left(t, '');
    await t.until('the thing to go', async () => (await t.call('GET', `${things}/thing`)).status === 404);
    await t.call('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`);
  },
  async 'namespace: deletion with its content'(t) {
    await family(t);
    await t.create('pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app:1' }] } });
    await t.create('configmaps', map('held', { finalizers: ['example.com/hold'] }));
    await t.call('DELETE', `/api/v1/namespaces/${t.namespace}`);
    const namespace = async () => (await t.call('GET', `/api/v1/namespaces/${t.namespace}`)).json;
    const remaining = await t.until('the conditions', async () => {
      const { status } = await namespace();
      return status?.conditions?.some(({ type, status: value }) => type === 'NamespaceFinalizersRemaining' && value === 'True') && status;
    });
    t.keep('remaining', remaining);
    await t.patch('configmaps', 'held', { metadata: { finalizers: null } });
    await t.until('the namespace to go', async () => (await namespace()).code === 404);
  },
};
