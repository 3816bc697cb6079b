/**
 * Requests of nodes, and of the objects that they need, each as `[user, method, path, body, type]`. `record.mjs` sends them to a
 * real API server, the test to this one. `$uid(Kind/name)` in a body stands for the uid of an object created earlier.
 */
const ns = '/api/v1/namespaces/nodes-rights';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const merge = 'application/merge-patch+json';
const named = (kind, name, more = {}) => ({ apiVersion: 'v1', kind, metadata: { name }, ...more });
const containers = [{ name: 'c', image: 'i' }];

const web = named('Pod', 'web', {
  spec: {
    nodeName: 'mine',
    serviceAccountName: 'worker',
    imagePullSecrets: [{ name: 'pull' }],
    containers: [
      {
        name: 'c',
        image: 'i',
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'env', key: 'a' } } }],
        envFrom: [{ configMapRef: { name: 'env' } }],
      },
    ],
    initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 'env-from' } }] }],
    volumes: [
      { name: 'a', secret: { secretName: 'volume' } },
      { name: 'b', configMap: { name: 'volume' } },
      { name: 'c', projected: { sources: [{ secret: { name: 'projected' } }, { configMap: { name: 'projected' } }] } },
      { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'e', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
    ],
  },
});
const disk = named('PersistentVolume', 'nodes-rights-disk', {
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { namespace: 'nodes-rights', name: 'data' },
    csi: {
      driver: 'd.example.com',
      volumeHandle: 'h',
      nodeStageSecretRef: { namespace: 'nodes-rights', name: 'stage' },
      controllerPublishSecretRef: { namespace: 'nodes-rights', name: 'controller' },
    },
  },
});
const data = named('PersistentVolumeClaim', 'data', {
  spec: {
    accessModes: ['ReadWriteOnce'],
    volumeName: 'nodes-rights-disk',
    storageClassName: '',
    resources: { requests: { storage: '1Gi' } },
  },
});

const secrets = ['pull', 'env', 'env-from', 'volume', 'projected', 'stage', 'controller', 'strange'];
const setUp = [
  ['admin', 'POST', '/api/v1/namespaces', named('Namespace', 'nodes-rights')],
  ...['mine', 'other'].map((name) => ['admin', 'POST', '/api/v1/nodes', named('Node', name)]),
  ...['worker', 'default', 'idle'].map((name) => ['admin', 'POST', `${ns}/serviceaccounts`, named('ServiceAccount', name)]),
  ...secrets.map((name) => ['admin', 'POST', `${ns}/secrets`, named('Secret', name)]),
  ...['env', 'volume', 'projected', 'strange'].map((name) => ['admin', 'POST', `${ns}/configmaps`, named('ConfigMap', name)]),
  ['admin', 'POST', '/api/v1/persistentvolumes', disk],
  ['admin', 'POST', `${ns}/persistentvolumeclaims`, data],
  ['admin', 'POST', `${ns}/pods`, web],
];

const reads = [
  ...secrets.map((name) => `${ns}/secrets/${name}`),
  ...['env', 'volume', 'projected', 'strange'].map((name) => `${ns}/configmaps/${name}`),
  `${ns}/secrets?fieldSelector=metadata.name%3Dvolume`,
  `${ns}/secrets`,
  '/api/v1/secrets?fieldSelector=metadata.name%3Dvolume',
  `${ns}/configmaps`,
  `${ns}/persistentvolumeclaims/data`,
  `${ns}/persistentvolumeclaims`,
  '/api/v1/persistentvolumes/nodes-rights-disk',
  '/api/v1/persistentvolumes',
  ...['worker', 'idle'].map((name) => `${ns}/serviceaccounts/${name}`),
  `${ns}/serviceaccounts`,
  `${ns}/pods/web`,
  `${ns}/pods?fieldSelector=metadata.name%3Dweb`,
  '/api/v1/pods?fieldSelector=spec.nodeName%3Dmine',
  '/api/v1/pods?fieldSelector=spec.nodeName%21%3Dmine',
  '/api/v1/pods',
  `${ns}/pods/web/log`,
  '/api/v1/nodes/mine',
  '/api/v1/nodes?fieldSelector=metadata.name%3Dmine',
  '/api/v1/nodes/absent',
  '/api/v1/nodes',
  `${leases}/mine`,
  leases,
  '/apis/storage.k8s.io/v1/csinodes/other',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/volumeattachments/absent',
  '/apis/resource.k8s.io/v1/resourceslices',
  '/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.nodeName%3Dmine',
  `/apis/resource.k8s.io/v1/namespaces/nodes-rights/resourceclaims/absent`,
  '/api/v1/services',
  `${ns}/endpoints/absent`,
  `${ns}/endpoints`,
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/node.k8s.io/v1/runtimeclasses',
  '/apis/apps/v1/deployments',
  '/version',
].flatMap((path) => ['mine', 'other'].map((who) => [who, 'GET', path]));

const owner = (more = {}) => ({ apiVersion: 'v1', kind: 'Node', name: 'mine', uid: '$uid(Node/mine)', controller: true, ...more });
const mirror = ({ metadata = {}, spec = {} } = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'static', annotations: { 'kubernetes.io/config.mirror': 'x' }, ownerReferences: [owner()], ...metadata },
  spec: { nodeName: 'mine', containers, ...spec },
});
const volumes = (...list) => ({ spec: { volumes: list.map((source, i) => ({ name: `v${i}`, ...source })) } });
const mirrors = [
  {},
  { metadata: { annotations: {} } },
  { spec: { nodeName: 'other' } },
  { spec: { nodeName: '' } },
  { metadata: { ownerReferences: [] } },
  { metadata: { ownerReferences: [owner(), owner({ name: 'other', uid: '$uid(Node/other)', controller: false })] } },
  { metadata: { ownerReferences: [owner({ name: 'other', uid: '$uid(Node/other)' })] } },
  { metadata: { ownerReferences: [owner({ controller: false })] } },
  { metadata: { ownerReferences: [owner({ blockOwnerDeletion: true })] } },
  { metadata: { ownerReferences: [owner({ uid: 'x' })] } },
  { spec: { imagePullSecrets: [{ name: 'strange' }] } },
  { spec: { containers: [{ ...containers[0], envFrom: [{ configMapRef: { name: 'strange' } }] }] } },
  volumes({ emptyDir: {} }, { secret: { secretName: 'strange' } }),
  volumes({ configMap: { name: 'strange' } }),
  volumes({ persistentVolumeClaim: { claimName: 'data' } }),
  volumes({ csi: { driver: 'd.example.com' } }),
  volumes({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
].map((extra) => ['mine', 'POST', `${ns}/pods`, mirror(extra)]);

const nodePatch = (body, { who = 'mine', path = '/api/v1/nodes/mine' } = {}) => [who, 'PATCH', path, body, merge];
const labelled = (key) => ({ metadata: { labels: { [key]: 'x' } } });
const writes = [
  ['mine', 'PATCH', `${ns}/pods/web/status`, { status: { phase: 'Running' } }, merge],
  ['other', 'PATCH', `${ns}/pods/web/status`, { status: { phase: 'Running' } }, merge],
  ['mine', 'PATCH', `${ns}/pods/web/status`, labelled('app'), merge],
  ['mine', 'PATCH', `${ns}/pods/web`, labelled('app'), merge],
  ['other', 'DELETE', `${ns}/pods/web`],
  ['other', 'DELETE', `${ns}/pods/absent`],
  ['mine', 'DELETE', `${ns}/pods`],
  ['mine', 'DELETE', `${ns}/pods/static?gracePeriodSeconds=0`],
  ['other', 'POST', `${ns}/pods/web/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web' } }],
  ['mine', 'POST', `${ns}/pods/web/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web' }, target: { kind: 'Node', name: 'other' } }],
  ...['example.com/rack', 'node.kubernetes.io/x', 'a.kubelet.kubernetes.io/x', 'topology.kubernetes.io/zone'].map((key) => nodePatch(labelled(key))),
  ...['node-restriction.kubernetes.io/x', 'a.node-restriction.kubernetes.io/x', 'kubernetes.io/x', 'x.k8s.io/y'].map((key) => nodePatch(labelled(key))),
  nodePatch(labelled('kubernetes.io/x'), { path: '/api/v1/nodes/mine/status' }),
  nodePatch({ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }),
  nodePatch({ spec: { unschedulable: true } }),
  nodePatch({ metadata: { ownerReferences: [owner({ name: 'other', uid: '$uid(Node/other)' })] } }),
  nodePatch({ metadata: { annotations: { a: 'b' } } }),
  nodePatch({}, { path: '/api/v1/nodes/other' }),
  nodePatch({}, { path: '/api/v1/nodes/other/status' }),
  ['mine', 'POST', '/api/v1/nodes', named('Node', 'third')],
  ['mine', 'DELETE', '/api/v1/nodes/mine'],
  ['third', 'POST', '/api/v1/nodes', { ...named('Node', 'third'), metadata: { name: 'third', labels: { 'node-restriction.kubernetes.io/a': 'b' } } }],
  ['third', 'POST', '/api/v1/nodes', named('Node', 'third')],
  ['third', 'GET', '/api/v1/nodes/third'],
  ['mine', 'PATCH', `${ns}/persistentvolumeclaims/data/status`, { status: { capacity: { storage: '1Gi' } } }, merge],
  ['mine', 'PATCH', `${ns}/persistentvolumeclaims/data`, labelled('a'), merge],
  ['other', 'PATCH', `${ns}/persistentvolumeclaims/data/status`, { status: {} }, merge],
  ...['mine', 'other'].map((name) => ['mine', 'POST', leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } }]),
  ['mine', 'POST', '/apis/coordination.k8s.io/v1/namespaces/nodes-rights/leases', { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'mine' } }],
  ['other', 'PATCH', `${leases}/mine`, {}, merge],
  ...['mine', 'other'].map((name) => ['mine', 'POST', '/apis/storage.k8s.io/v1/csinodes', { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name }, spec: { drivers: [] } }]),
  ['mine', 'POST', `${ns}/secrets`, named('Secret', 'made')],
  ['mine', 'POST', `${ns}/configmaps`, named('ConfigMap', 'made')],
  ['nobody', 'GET', `${ns}/secrets/volume`],
];

const bound = (more = {}) => ({ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: '$uid(Pod/web)', ...more });
const tokens = [
  ['worker', {}],
  ['worker', { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' } }],
  ['worker', { boundObjectRef: bound({ uid: 'x' }) }],
  ['worker', { boundObjectRef: bound({ name: 'absent' }) }],
  ['worker', { boundObjectRef: bound(), audiences: ['other'] }],
  ['worker', { boundObjectRef: bound(), audiences: ['vault', 'other'] }],
  ['worker', { boundObjectRef: bound(), audiences: ['vault'] }],
  ['worker', { boundObjectRef: bound() }],
  ['idle', { boundObjectRef: bound() }],
].flatMap(([account, spec]) =>
  ['mine', 'other'].map((who) => [who, 'POST', `${ns}/serviceaccounts/${account}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }]),
);

export const requests = [...setUp, ...reads, ...mirrors, ...tokens, ...writes];

/** Headers with which the administrator impersonates a user. */
export function headersOf(who) {
  if (who === 'admin') return {};
  const name = who === 'nobody' ? 'system:node:' : `system:node:${who}`;
  return { 'impersonate-user': name, 'impersonate-group': 'system:nodes' };
}

/** Sends all requests in order. Returns the status and message of each response, without uids and versions. */
export async function play(send) {
  const uids = new Map();
  const answers = [];
  for (const [who, method, path, body, type = 'application/json'] of requests) {
    const text = body && JSON.stringify(body).replace(/\$uid\(([^)]+)\)/g, (_, key) => uids.get(key) ?? '');
    const answer = await send(method, path, { body: text, headers: { ...headersOf(who), ...(text && { 'content-type': type }) } });
    let object;
    try {
      object = JSON.parse(answer.text);
    } catch {
      object = {};
    }
    const { kind, metadata, message = '' } = object;
    if (who === 'admin' && metadata?.uid) uids.set(`${kind}/${metadata.name}`, metadata.uid);
    const plain = message.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UID');
    answers.push({ request: `${who} ${method} ${path}`, status: answer.status, ...(answer.status >= 400 && { message: plain }) });
  }
  return answers;
}
