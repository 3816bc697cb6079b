/**
 * Requests for bindings, access reviews, the projected token volume of pods, and certificate requests. Run by
 * `kube-apiserver/testdata/run-steps.mjs`.
 */
import { minimalObjects } from './minimal-objects.mjs';

const NS = '/api/v1/namespaces/further-rec';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const REVIEWS = '/apis/authorization.k8s.io/v1';
const CSRS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const NODES = '/api/v1/nodes';

const pod = (name, spec = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'nginx' }], ...spec } });
const off = { automountServiceAccountToken: false };
const binding = (name, target = { kind: 'Node', name: 'n1' }) => ({ apiVersion: 'v1', kind: 'Binding', metadata: { name }, target });
const as = (user, group) => ({ headers: { 'impersonate-user': user, ...(group && { 'impersonate-group': group }) } });
const rules = (namespace) => ({ kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace } });
const [, csr] = minimalObjects.find(([resource]) => resource === 'certificatesigningrequests');
const request = (name, spec = {}) => ({ ...csr, metadata: { name }, spec: { ...csr.spec, ...spec } });
const decided = (type, more = {}) => ({ type, status: 'True', reason: 'R', message: 'm', ...more });
const decide = (name, view, status) => ['PUT', `${CSRS}/${name}/${view}`, { $from: `${CSRS}/${name}`, $merge: { status } }];
const certificate = (text) => Buffer.from(text).toString('base64');

const bindings = [
  ['POST', NODES, { metadata: { name: 'n1' } }],
  ['POST', `${NS}/pods`, pod('a', off)],
  ['POST', `${NS}/pods`, pod('b', off)],
  ['POST', `${NS}/bindings`, binding('absent')],
  ['POST', `${NS}/bindings`, binding('')],
  ['POST', `${NS}/bindings?dryRun=All`, binding('a')],
  ['POST', `${NS}/bindings`, binding('a')],
  ['POST', `${NS}/bindings`, binding('a')],
  ['POST', `${NS}/bindings`, binding('b', { kind: 'Pod', name: 'n1' })],
  ['POST', `${NS}/bindings`, { ...binding('b'), metadata: { name: 'b', namespace: 'other' } }],
  ['GET', `${NS}/bindings`],
  ['GET', `${NS}/bindings/a`],
  ['DELETE', `${NS}/bindings/a`],
];

const access = [
  ['POST', `${RBAC}/namespaces/further-rec/roles`, { metadata: { name: 'reader' }, rules: [{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }, { apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['web'], verbs: ['*'] }] }],
  ['POST', `${RBAC}/namespaces/further-rec/rolebindings`, { metadata: { name: 'reader' }, roleRef: { kind: 'Role', name: 'reader', apiGroup: 'rbac.authorization.k8s.io' }, subjects: [{ kind: 'User', name: 'rita', apiGroup: 'rbac.authorization.k8s.io' }] }],
  ['POST', `${RBAC}/clusterroles`, { metadata: { name: 'further-paths' }, rules: [{ nonResourceURLs: ['/logs', '/logs/*'], verbs: ['get'] }, { apiGroups: ['*'], resources: ['*/status'], verbs: ['get'] }] }],
  ['POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'further-paths' }, roleRef: { kind: 'ClusterRole', name: 'further-paths', apiGroup: 'rbac.authorization.k8s.io' }, subjects: [{ kind: 'Group', name: 'readers', apiGroup: 'rbac.authorization.k8s.io' }] }],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('further-rec'), as('rita')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('default'), as('rita')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('further-rec'), as('rita', 'readers')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('further-rec'), as('nobody')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('further-rec'), as('boss', 'system:masters')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('further-rec')],
  ['POST', `${REVIEWS}/selfsubjectrulesreviews`, rules('absent'), as('rita')],
];

const tokens = [
  ['POST', `${NS}/serviceaccounts`, { metadata: { name: 'quiet' }, automountServiceAccountToken: false }],
  ['POST', `${NS}/pods?dryRun=All`, pod('t')],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', { serviceAccountName: 'quiet' })],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', { serviceAccountName: 'quiet', automountServiceAccountToken: true })],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', off)],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', { serviceAccountName: 'absent' })],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', { initContainers: [{ name: 'i', image: 'nginx' }], containers: [{ name: 'c', image: 'nginx', volumeMounts: [{ name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }], volumes: [{ name: 'own', emptyDir: {} }] })],
  ['POST', `${NS}/pods?dryRun=All`, pod('t', { hostUsers: false, containers: [{ name: 'c', image: 'nginx' }, { name: 'd', image: 'nginx', securityContext: { runAsUser: 7 } }] })],
];

const certificates = [
  ['POST', CSRS, request('one')],
  ['POST', CSRS, request('bad', { request: certificate('no request') })],
  ['POST', CSRS, request('bad', { usages: [] })],
  ['POST', CSRS, request('bad', { usages: ['client auth', 'client auth', 'flying'] })],
  ['POST', CSRS, request('bad', { signerName: 'plain' })],
  ['POST', CSRS, request('bad', { signerName: 'Kubernetes.io/legacy-unknown' })],
  ['POST', CSRS, request('bad', { expirationSeconds: 10 })],
  ['PUT', `${CSRS}/one`, { $from: `${CSRS}/one`, $merge: { spec: { signerName: 'example.com/other' }, status: { certificate: certificate('x') } } }],
  decide('one', 'status', { conditions: [decided('Approved')] }),
  decide('one', 'approval', { conditions: [decided('Approved', { status: 'False' })] }),
  decide('one', 'approval', { conditions: [decided('Approved'), decided('Denied')] }),
  decide('one', 'approval', { conditions: [decided('Approved'), decided('Approved')] }),
  decide('one', 'approval', { conditions: [decided('')] }),
  decide('one', 'approval', { conditions: [decided('Approved')] }),
  decide('one', 'approval', { conditions: [] }),
  decide('one', 'status', { conditions: [] }),
  decide('one', 'status', { certificate: certificate('not PEM') }),
  decide('one', 'status', { conditions: [decided('Approved'), decided('Failed')] }),
  ['GET', `${CSRS}/one/approval`],
  ['PATCH', `${CSRS}/one/approval`, { metadata: { labels: { a: 'b' } } }, { type: 'merge' }],
];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'further-rec' } }],
  ['POST', `${NS}/serviceaccounts`, { metadata: { name: 'default' } }],
  ...bindings,
  ...access,
  ...tokens,
  ...certificates,
];
