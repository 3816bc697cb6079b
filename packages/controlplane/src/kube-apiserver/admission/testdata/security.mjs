/** Requests whose responses depend on the user and on admission. Run by `kube-apiserver/testdata/run-steps.mjs`. */
const NS = '/api/v1/namespaces/security-rec';
const pod = (name, spec = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx' }], serviceAccountName: 'worker', ...spec },
});
const dry = `${NS}/pods?dryRun=All`;
const off = { automountServiceAccountToken: false };
const as = (user, ...groups) => ({
  headers: { 'impersonate-user': user, ...(groups.length > 0 && { 'impersonate-group': groups.join(',') }) },
});
const review = (spec) => ({ apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec });
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'security-rec' } }],
  ['POST', `${NS}/serviceaccounts`, { metadata: { name: 'worker' } }],
  ['POST', `${NS}/serviceaccounts`, { metadata: { name: 'quiet' }, automountServiceAccountToken: false }],
  // pods
  ['POST', dry, pod('a', off)],
  ['POST', dry, pod('a', { serviceAccountName: 'quiet' })],
  ['POST', dry, pod('a', { serviceAccountName: 'nobody' })],
  ['POST', dry, pod('a', { ...off, priorityClassName: 'system-node-critical' })],
  ['POST', dry, pod('a', { ...off, priorityClassName: 'nothing' })],
  ['POST', dry, pod('a', { ...off, priority: 5 })],
  ['POST', dry, pod('a', { ...off, tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }] })],
  ['POST', dry, pod('a', { ...off, tolerations: [{ operator: 'Exists' }] })],
  // tokens and reviews
  ['POST', `${NS}/serviceaccounts/nobody/token`, { spec: {} }],
  ['POST', `${NS}/serviceaccounts/worker/token`, { spec: { expirationSeconds: 5 } }],
  ['POST', `${NS}/serviceaccounts/worker/token`, { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } } }],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'nonsense' } }],
  ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} }],
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, as('jane')],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review({ user: 'jane', resourceAttributes: { verb: 'get', resource: 'pods' } })],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review({ user: 'jane' })],
  ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', review({ user: 'system:kube-scheduler', resourceAttributes: { verb: 'list', resource: 'pods' } })],
  // others
  ['GET', `${NS}/pods`, undefined, as('jane')],
  ['GET', '/api/v1/nodes/n', undefined, as('jane')],
  ['GET', '/apis/apps/v1/namespaces/security-rec/deployments/web/scale', undefined, as('jane')],
  ['POST', `${NS}/pods`, pod('x'), as('jane')],
  ['DELETE', `${NS}/pods`, undefined, as('jane')],
  ['GET', '/logs', undefined, as('jane')],
  ['GET', '/version', undefined, as('jane')],
  ['GET', '/version', undefined, { headers: { 'impersonate-group': 'g' } }],
  ['GET', '/version', undefined, { headers: { authorization: 'Bearer wrong' } }],
  ['GET', `${NS}/pods`, undefined, { headers: { authorization: '' } }],
  // a role does not allow its holder to grant more
  ['POST', `${RBAC}/namespaces/security-rec/roles`, { metadata: { name: 'editor' }, rules: [{ apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] }] }],
  ['POST', `${RBAC}/namespaces/security-rec/rolebindings`, { metadata: { name: 'jane' }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'editor' }, subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }] }],
  ['DELETE', `${RBAC}/namespaces/security-rec/rolebindings/none`, undefined, as('jane')],
  ['DELETE', `${NS}`],
];
