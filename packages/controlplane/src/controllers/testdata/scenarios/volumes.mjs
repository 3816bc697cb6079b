/** Volumes and claims. The names of volumes and classes include the namespace, because scenarios run in parallel. */
import { template } from './deployments.mjs';

const sized = (storage) => ({ requests: { storage } });
const claim = (t, name, spec = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: `${t.namespace}-manual`, resources: sized('1Gi'), ...spec },
});
const volume = (t, name, { storage = '1Gi', labels, ...spec } = {}) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `${t.namespace}-${name}`, ...(labels && { labels }) },
  spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], storageClassName: `${t.namespace}-manual`, hostPath: { path: '/mnt/data' }, ...spec },
});
const storageClass = (t, name, rest = {}) => ({ metadata: { name: `${t.namespace}-${name}` }, provisioner: 'example.com/disks', ...rest });
const pod = (name, volumes, image = 'app:1') => {
  const { spec } = template(image, {});
  return { metadata: { name }, spec: { ...spec, volumes, nodeName: 'player', terminationGracePeriodSeconds: 0 } };
};
const mounting = (claimName) => [{ name: 'data', persistentVolumeClaim: { claimName } }];

const makeVolume = (t, name, spec) => t.createGlobal('/api/v1/persistentvolumes', volume(t, name, spec));
const makeClass = (t, name, rest) => t.createGlobal('/apis/storage.k8s.io/v1/storageclasses', storageClass(t, name, rest));
const volumePath = (t, name) => `/api/v1/persistentvolumes/${t.namespace}-${name}`;
const claimPhase = (t, name, phase) => t.until(`${name} to be ${phase}`, async () => (await t.get('persistentvolumeclaims', name))?.status.phase === phase);
const volumePhase = (t, name, phase) => t.until(`${name} to be ${phase}`, async () => (await t.call('GET', volumePath(t, name))).json.status?.phase === phase);
const event = (t, reason) => t.until(`the event ${reason}`, async () => (await t.list('events')).some((item) => item.reason === reason));
const events = /persistentvolume-controller|ephemeral_volume/;

export const volumes = {
  async 'claim: the smallest volume that fits'(t) {
    await makeVolume(t, 'small', { storage: '512Mi' });
    await makeVolume(t, 'large', { storage: '8Gi' });
    await makeVolume(t, 'fitting', { storage: '2Gi' });
    for (const name of ['small', 'large', 'fitting']) await volumePhase(t, name, 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await volumePhase(t, 'fitting', 'Bound');
    await t.picture('bound', { events });
    await t.delete('persistentvolumeclaims', 'a');
    await volumePhase(t, 'fitting', 'Released');
    await t.picture('released');
  },
  async 'claim: selector, modes, class'(t) {
    await makeVolume(t, 'plain', { labels: { tier: 'slow' } });
    await makeVolume(t, 'labelled', { storage: '4Gi', labels: { tier: 'fast' } });
    await makeVolume(t, 'shared', { storage: '16Gi', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] });
    await makeVolume(t, 'block', { volumeMode: 'Block' });
    await makeVolume(t, 'classless', { storageClassName: '' });
    for (const name of ['plain', 'labelled', 'shared', 'block', 'classless']) await volumePhase(t, name, 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'fast', { selector: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['fast'] }] } }));
    await t.create('persistentvolumeclaims', claim(t, 'many', { accessModes: ['ReadWriteMany'] }));
    await t.create('persistentvolumeclaims', claim(t, 'raw', { volumeMode: 'Block' }));
    await t.create('persistentvolumeclaims', claim(t, 'reading', { accessModes: ['ReadOnlyMany'], storageClassName: '' }));
    for (const name of ['fast', 'many', 'raw']) await claimPhase(t, name, 'Bound');
    await event(t, 'FailedBinding');
    await t.picture('bound', { events: /persistentvolume-controller/, messages: /no persistent volumes/ });
  },
  async 'claim: names a volume'(t) {
    await makeVolume(t, 'tiny', { storage: '1Mi' });
    await makeVolume(t, 'mine', { claimRef: { namespace: t.namespace, name: 'second' } });
    await makeVolume(t, 'other', {});
    for (const name of ['tiny', 'mine', 'other']) await volumePhase(t, name, 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'first', { volumeName: `${t.namespace}-tiny` }));
    await event(t, 'VolumeMismatch');
    await t.create('persistentvolumeclaims', claim(t, 'third', { volumeName: `${t.namespace}-mine` }));
    await event(t, 'FailedBinding');
    await t.create('persistentvolumeclaims', claim(t, 'second'));
    await claimPhase(t, 'second', 'Bound');
    await t.create('persistentvolumeclaims', claim(t, 'fourth', { volumeName: `${t.namespace}-other` }));
    await claimPhase(t, 'fourth', 'Bound');
    await t.picture('bound', { events });
  },
  async 'claim: volume that is created later'(t) {
    // Requests more than the classless volumes of other scenarios have.
    await t.create('persistentvolumeclaims', claim(t, 'a', { storageClassName: '', resources: sized('3Gi') }));
    await event(t, 'FailedBinding');
    await makeVolume(t, 'late', { storage: '3Gi', storageClassName: '', claimRef: { namespace: t.namespace, name: 'a' } });
    await claimPhase(t, 'a', 'Bound');
    await t.picture('bound', { events });
  },
  async 'claim: external provisioner'(t) {
    await makeClass(t, 'fast');
    await t.create('persistentvolumeclaims', claim(t, 'a', { storageClassName: `${t.namespace}-fast` }));
    await event(t, 'ExternalProvisioning');
    await t.picture('waiting', { events });
    const { metadata } = await t.get('persistentvolumeclaims', 'a');
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: t.namespace, name: 'a', uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    const made = volume(t, 'made', { claimRef, storageClassName: `${t.namespace}-fast`, persistentVolumeReclaimPolicy: 'Delete' });
    made.metadata.annotations = { 'pv.kubernetes.io/provisioned-by': 'example.com/disks' };
    await t.createGlobal('/api/v1/persistentvolumes', made);
    await claimPhase(t, 'a', 'Bound');
    await t.picture('bound');
    await t.delete('persistentvolumeclaims', 'a');
    await volumePhase(t, 'made', 'Released');
    await t.picture('released');
  },
  async 'claim: waits for the first consumer'(t) {
    await makeClass(t, 'late', { volumeBindingMode: 'WaitForFirstConsumer' });
    await makeVolume(t, 'there', { storageClassName: `${t.namespace}-late` });
    await t.create('persistentvolumeclaims', claim(t, 'a', { storageClassName: `${t.namespace}-late` }));
    await event(t, 'WaitForFirstConsumer');
    await t.picture('waiting', { events });
    await t.patch('persistentvolumeclaims', 'a', { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'player' } } });
    await event(t, 'ExternalProvisioning');
    await t.picture('selected', { events });
  },
  async 'claim: missing storage class'(t) {
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await event(t, 'ProvisioningFailed');
    await t.picture('pending', { events });
  },
  async 'claim: bound volume is deleted'(t) {
    await makeVolume(t, 'v', {});
    await volumePhase(t, 'v', 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.call('DELETE', volumePath(t, 'v'));
    await t.patchGlobal(volumePath(t, 'v'), { metadata: { finalizers: null } });
    await claimPhase(t, 'a', 'Lost');
    await t.picture('lost', { events });
  },
  async 'volume: no plugin to delete it'(t) {
    await makeVolume(t, 'v', { persistentVolumeReclaimPolicy: 'Delete', hostPath: undefined, nfs: { server: 'example.com', path: '/' } });
    await volumePhase(t, 'v', 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.delete('persistentvolumeclaims', 'a');
    await volumePhase(t, 'v', 'Failed');
    await t.picture('failed', { events });
  },
  async 'volume: another claim of the same name'(t) {
    await makeVolume(t, 'v', {});
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.delete('persistentvolumeclaims', 'a');
    await volumePhase(t, 'v', 'Released');
    await makeVolume(t, 'w', {});
    await volumePhase(t, 'w', 'Available');
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.picture('bound elsewhere');
    await t.patchGlobal(volumePath(t, 'v'), { spec: { claimRef: null } });
    await volumePhase(t, 'v', 'Available');
    await t.picture('available again');
  },
  async 'protection: claim in use'(t) {
    await makeVolume(t, 'v', {});
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.create('pods', pod('user', mounting('a')));
    await t.until('the pod to run', async () => (await t.get('pods', 'user')).status.phase === 'Running');
    await t.delete('persistentvolumeclaims', 'a');
    await t.rest();
    await t.picture('kept');
    await t.delete('pods', 'user');
    await t.until('the claim to go', async () => !(await t.get('persistentvolumeclaims', 'a')));
    await volumePhase(t, 'v', 'Released');
    await t.picture('released');
  },
  async 'protection: finished pod'(t) {
    await makeVolume(t, 'v', {});
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.create('pods', pod('user', mounting('a'), 'ok:1'));
    await t.until('the pod to finish', async () => (await t.get('pods', 'user')).status.phase === 'Succeeded');
    await t.delete('persistentvolumeclaims', 'a');
    await t.rest();
    await t.picture('deleted');
  },
  async 'protection: volume in use'(t) {
    await makeVolume(t, 'v', {});
    await t.create('persistentvolumeclaims', claim(t, 'a'));
    await claimPhase(t, 'a', 'Bound');
    await t.call('DELETE', volumePath(t, 'v'));
    await t.rest();
    await t.picture('kept');
    await t.delete('persistentvolumeclaims', 'a');
    await t.until('the volume to go', async () => (await t.call('GET', volumePath(t, 'v'))).status === 404);
    await t.picture('gone');
  },
  async 'ephemeral volume'(t) {
    await makeVolume(t, 'v', {});
    const { spec, metadata } = claim(t, 'x');
    const ephemeral = { volumeClaimTemplate: { metadata: { labels: { of: 'pod' }, annotations: { note: 'mine' } }, spec } };
    await t.create('pods', pod('user', [{ name: 'scratch', ephemeral }]));
    await claimPhase(t, 'user-scratch', 'Bound');
    await t.picture('bound');
    await t.create('persistentvolumeclaims', { ...claim(t, 'other-scratch'), metadata: { ...metadata, name: 'other-scratch' } });
    await t.create('pods', pod('other', [{ name: 'scratch', ephemeral }], 'bad:1'));
    await event(t, 'FailedBinding');
    await t.picture('a claim of someone else', { events: /ephemeral_volume/ });
    await t.delete('pods', 'user');
    await volumePhase(t, 'v', 'Released');
    await t.picture('released');
  },
};

const set = (t, spec) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: {
    replicas: 2,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: template('app:1', { app: 'db' }),
    volumeClaimTemplates: [{ metadata: { name: 'data', labels: { of: 'template' } }, spec: claim(t, 'x').spec }],
    ...spec,
  },
});

async function steady(t, replicas) {
  await t.until(`${replicas} pods`, async () => {
    const { metadata, status } = await t.get('statefulsets', 'db');
    return status.observedGeneration >= metadata.generation && status.replicas === replicas && status.availableReplicas === replicas;
  });
}

/** Creates a set with two pods, scales it to one, changes its retention policy if `then` is given, and deletes it. */
async function retained(t, { whenDeleted, whenScaled, then }) {
  for (const ordinal of [0, 1]) await makeVolume(t, `v${ordinal}`, { claimRef: { namespace: t.namespace, name: `data-db-${ordinal}` } });
  for (const ordinal of [0, 1]) await volumePhase(t, `v${ordinal}`, 'Available');
  await t.create('statefulsets', set(t, { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } }));
  await steady(t, 2);
  await t.pictureOf('running', ['statefulsets', 'pods', 'persistentvolumeclaims']);
  await t.patch('statefulsets', 'db', { spec: { replicas: 1 } });
  await steady(t, 1);
  await t.pictureOf('scaled', ['statefulsets', 'pods', 'persistentvolumeclaims']);
  if (then) {
    await t.patch('statefulsets', 'db', { spec: { persistentVolumeClaimRetentionPolicy: then } });
    await t.rest();
    await t.pictureOf('changed', ['statefulsets', 'pods', 'persistentvolumeclaims']);
  }
  await t.delete('statefulsets', 'db', { propagationPolicy: 'Background' });
  await t.until('the pods to go', async () => (await t.list('pods')).length === 0);
  await t.pictureOf('deleted', ['statefulsets', 'pods', 'persistentvolumeclaims']);
}

export const retention = {
  'claim retention: retained': (t) => retained(t, { whenDeleted: 'Retain', whenScaled: 'Retain', then: { whenDeleted: 'Delete', whenScaled: 'Retain' } }),
  'claim retention: deleted with the set': (t) => retained(t, { whenDeleted: 'Delete', whenScaled: 'Retain', then: { whenDeleted: 'Retain', whenScaled: 'Retain' } }),
  'claim retention: deleted on scale-down': (t) => retained(t, { whenDeleted: 'Retain', whenScaled: 'Delete' }),
  'claim retention: deleted with the set and on scale-down': (t) => retained(t, { whenDeleted: 'Delete', whenScaled: 'Delete' }),
};
