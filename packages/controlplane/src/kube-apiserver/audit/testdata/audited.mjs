// Requests whose audit events are compared with those of kube-apiserver. See record-steps.mjs for the format of steps.
const merge = { 'content-type': 'application/merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const asAlice = { 'impersonate-user': 'alice', 'impersonate-group': 'devs', 'impersonate-extra-team': 'a' };
const namespace = '/api/v1/namespaces/audited';
const configMaps = `${namespace}/configmaps`;
const accounts = `${namespace}/serviceaccounts`;
const labels = { 'pod-security.kubernetes.io/audit': 'baseline', 'pod-security.kubernetes.io/warn': 'baseline' };
const configMap = (name, data) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const subject = { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' };
const roleRef = { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' };
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'host' },
  spec: { hostNetwork: true, serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] },
};

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'audited', labels } }],
  // Comes early, because the real server notices it only a moment later.
  ['POST', `${rbac}/namespaces/audited/rolebindings`, { metadata: { name: 'alice' }, roleRef, subjects: [subject] }],
  ['POST', configMaps, configMap('a', { k: 'v' })],
  ['GET', `${configMaps}/a`],
  ['GET', `${configMaps}/missing`],
  ['POST', configMaps, configMap('a', { z: 'y' })],
  ['POST', configMaps, configMap('Not_Valid', { z: 'y' })],
  ['PATCH', `${configMaps}/a`, { data: { k: 'w' } }, { headers: merge }],
  ['PATCH', `${configMaps}/b?fieldManager=me`, configMap('b', { x: 'y' }), { headers: apply }],
  ['PUT', `${configMaps}/a`, { ...configMap('a', { z: 'y' }), metadata: { name: 'a', uid: '0', resourceVersion: '1' } }],
  ['GET', `${configMaps}?limit=1`],
  ['GET', `${configMaps}?watch=true&timeoutSeconds=1&resourceVersion=1&resourceVersionMatch=Exact`],
  ['GET', `${namespace}/secrets?watch=true&timeoutSeconds=1`],
  ['POST', accounts, { metadata: { name: 'robot' } }],
  ['PATCH', `${accounts}/robot`, { metadata: { labels: { a: 'b' } } }, { headers: merge }],
  ['POST', `${accounts}/robot/token`, { spec: { audiences: ['x'] } }],
  ['GET', `${accounts}/robot`, undefined, { headers: asAlice }],
  ['GET', `${accounts}/robot`, undefined, { headers: { 'impersonate-user': 'bob' } }],
  ['GET', '/version'],
  ['GET', '/readyz'],
  ['GET', '/nothing'],
  ['GET', `${namespace}/pods`, undefined, { headers: { authorization: 'Bearer wrong' } }],
  ['POST', `${namespace}/pods`, pod],
  ['DELETE', `${configMaps}/a`],
  ['DELETE', configMaps, { propagationPolicy: 'Background' }],
  ['DELETE', '/api/v1/namespaces/audited'],
];
