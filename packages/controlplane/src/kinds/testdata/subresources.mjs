/**
 * Records which fields each subresource of a built-in kind can change, and who manages them afterwards: applies a whole object to
 * the subresource, then another to the main resource. Run by `kube-apiserver/testdata/run-steps.mjs`.
 */
import { minimalObjects } from './minimal-objects.mjs';

const NAMESPACE = 'views-rec';
const TIME = '2026-01-02T03:04:05Z';
const condition = { type: 'Ready', status: 'True', reason: 'R', message: 'm', lastTransitionTime: TIME };
const ended = { type: 'Approved', status: 'True', reason: 'R', message: 'm', lastUpdateTime: TIME, lastTransitionTime: TIME };
const counts = { replicas: 1 };
const balancer = { loadBalancer: { ingress: [{ ip: '10.1.2.3' }] } };

/** An example of each kind's status, without statuses that the real server also writes itself. */
const statuses = {
  pods: { phase: 'Running', conditions: [condition] },
  namespaces: { phase: 'Active', conditions: [{ ...condition, type: 'X' }] },
  nodes: { capacity: { pods: '7' }, conditions: [condition] },
  persistentvolumeclaims: { phase: 'Bound' },
  persistentvolumes: { phase: 'Available' },
  replicationcontrollers: counts,
  resourcequotas: { hard: { pods: '3' } },
  services: balancer,
  daemonsets: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 1 },
  deployments: counts,
  replicasets: counts,
  statefulsets: counts,
  horizontalpodautoscalers: { currentReplicas: 1, desiredReplicas: 2 },
  jobs: { active: 1, startTime: TIME },
  cronjobs: { lastScheduleTime: TIME },
  ingresses: balancer,
  servicecidrs: { conditions: [condition] },
  poddisruptionbudgets: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
  volumeattachments: { attached: true },
  validatingadmissionpolicies: { observedGeneration: 1 },
  resourceclaims: { allocation: { devices: {} } },
  prioritylevelconfigurations: { conditions: [{ ...condition, type: 'X' }] },
  certificatesigningrequests: { certificate: undefined, conditions: [{ ...ended, type: 'Failed' }] },
};
const clusterScoped = new Set([
  ...['namespaces', 'nodes', 'persistentvolumes', 'servicecidrs', 'volumeattachments', 'validatingadmissionpolicies'],
  ...['prioritylevelconfigurations', 'certificatesigningrequests'],
]);

const marks = {
  labels: { view: 'v' },
  annotations: { view: 'v' },
  finalizers: ['example.com/view'],
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u-1' }],
};
const apply = (manager, query = '') => ({ type: 'apply', query: `?fieldManager=${manager}&force=true${query}` });

function collectionOf(resource, { apiVersion }) {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}/${clusterScoped.has(resource) ? '' : `namespaces/${NAMESPACE}/`}${resource}`;
}

/** Applies a whole object to a subresource and then to the main resource, then updates both with a whole object. */
function stepsFor(resource, object, { view, status }) {
  const { name } = object.metadata;
  const collection = collectionOf(resource, object);
  const path = `${collection}/${name}`;
  const whole = (extra) => ({ ...object, metadata: { name, ...extra }, ...(status && { status }) });
  const through = ({ type, query }, target) => ['PATCH', `${target}${query}`, whole(marks), { type }];
  return [
    through(apply('viewer'), `${path}/${view}`),
    through(apply('main'), path),
    ['PUT', `${path}/${view}?fieldManager=putter`, { $from: path, $merge: { metadata: { labels: { put: 'p' }, annotations: { put: 'p' } }, ...(status && { status }) } }],
  ];
}

function lifeOf([resource, object], index) {
  const status = statuses[resource];
  if (status === undefined) return [];
  const named = structuredClone(object);
  if (named.metadata.namespace) named.metadata.namespace = NAMESPACE;
  named.metadata.name = `v${index}`;
  const collection = collectionOf(resource, named);
  const path = `${collection}/${named.metadata.name}`;
  return [
    ['POST', collection, named],
    ...stepsFor(resource, named, { view: 'status', status }),
    ...(resource === 'certificatesigningrequests' ? stepsFor(resource, named, { view: 'approval', status: { conditions: [ended] } }) : []),
    ...(resource === 'pods' ? podSubresources(path, named) : []),
    ['PATCH', path, { metadata: { finalizers: null } }, { type: 'merge' }],
    ['DELETE', path, { gracePeriodSeconds: 0 }],
  ];
}

function podSubresources(path, pod) {
  const [container] = pod.spec.containers;
  const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
  const resources = { requests: { cpu: '1' } };
  return [
    ['PATCH', `${path}/ephemeralcontainers?fieldManager=debugger&force=true`, { ...pod, metadata: { name: pod.metadata.name, labels: { e: 'e' } }, spec: { ephemeralContainers } }, { type: 'apply' }],
    ['PATCH', `${path}/ephemeralcontainers?fieldManager=other`, { metadata: { labels: { f: 'f' } }, spec: { ephemeralContainers } }, { type: 'strategic' }],
    ['PATCH', `${path}/resize?fieldManager=sizer&force=true`, { ...pod, metadata: { name: pod.metadata.name, labels: { r: 'r' } }, spec: { containers: [{ name: container.name, resources }] } }, { type: 'apply' }],
  ];
}

const seen = new Set();
const first = minimalObjects.filter(([resource, { apiVersion }]) => {
  const key = `${apiVersion} ${resource}`;
  return !seen.has(key) && seen.add(key);
});

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } }],
  ['POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' }, automountServiceAccountToken: false }],
  ...first.flatMap(lifeOf),
  // The finalize subresource takes a PUT of the whole namespace, but changes only its finalizers.
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { $from: `/api/v1/namespaces/${NAMESPACE}`, $merge: { metadata: { labels: { put: 'p' } }, spec: { finalizers: ['kubernetes', 'example.com/mine'] } } }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { metadata: { name: NAMESPACE }, spec: { finalizers: ['bad name'] } }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { metadata: { name: 'other' }, spec: {} }],
  ['PUT', `/api/v1/namespaces/absent/finalize`, { metadata: { name: 'absent' }, spec: {} }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { metadata: { name: NAMESPACE, resourceVersion: '1' }, spec: {} }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize?dryRun=All`, { metadata: { name: NAMESPACE }, spec: {} }],
  ['GET', `/api/v1/namespaces/${NAMESPACE}/finalize`],
  ['PATCH', `/api/v1/namespaces/${NAMESPACE}/finalize`, { spec: { finalizers: [] } }, { type: 'merge' }],
  ['DELETE', `/api/v1/namespaces/${NAMESPACE}`],
  ['POST', `/api/v1/namespaces/${NAMESPACE}/configmaps`, { metadata: { name: 'late' } }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { $from: `/api/v1/namespaces/${NAMESPACE}`, $merge: { spec: { finalizers: ['example.com/mine'] } } }],
  ['PUT', `/api/v1/namespaces/${NAMESPACE}/finalize`, { $from: `/api/v1/namespaces/${NAMESPACE}`, $merge: { spec: { finalizers: null } } }],
  ['GET', `/api/v1/namespaces/${NAMESPACE}`],
];
