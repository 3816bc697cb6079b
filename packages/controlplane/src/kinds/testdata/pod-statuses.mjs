/** Valid and invalid writes of a pod's status by a kubelet. Run by `kube-apiserver/testdata/run-steps.mjs`. */
const PODS = '/api/v1/namespaces/pod-statuses-rec/pods';
const TIME = '2026-01-02T03:04:05Z';

const pod = (name, spec = {}) => [
  'POST',
  PODS,
  { metadata: { name }, spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'nginx' }], ...spec } },
];
const set = (name, status) => ['PATCH', `${PODS}/${name}/status`, { status }, { type: 'merge' }];
const state = (name, more) => ({ name, image: 'i', imageID: '', ready: false, restartCount: 0, state: more });
const ended = (exitCode) => ({ terminated: { exitCode } });
const running = { running: { startedAt: TIME } };
const waiting = { waiting: { reason: 'CrashLoopBackOff' } };

const fields = [
  pod('fields'),
  set('fields', { qosClass: 'Guaranteed' }),
  set('fields', { observedGeneration: -1 }),
  set('fields', { conditions: [{ type: 'a b', status: 'True', observedGeneration: -1 }] }),
  set('fields', { conditions: [{ type: 'Ready', status: 'True' }, { type: 'example.com/ready', status: 'True' }] }),
  set('fields', { nominatedNodeName: 'Not_A_Node' }),
  set('fields', { nominatedNodeName: 'node-1' }),
  set('fields', { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] }),
  set('fields', { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] }),
  set('fields', { podIP: 'x', podIPs: [{ ip: 'x' }] }),
  set('fields', { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] }),
  set('fields', { hostIP: '10.0.0.2', hostIPs: [{ ip: '10.0.0.2' }, { ip: '10.0.0.3' }] }),
  set('fields', { hostIP: '10.0.0.2', hostIPs: [{ ip: '10.0.0.2' }] }),
  set('fields', { resourceClaimStatuses: [{ name: 'none' }, { name: 'none' }] }),
  set('fields', { phase: 'Running', startTime: TIME }),
  pod('bound', { nodeName: 'node-1' }),
  set('bound', { nominatedNodeName: 'node-2' }),
];

const rules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
const all = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
const never = { restartPolicy: 'Never' };
/** A container ends, and then runs again. */
const revived = (name, spec, { exitCode = 0, list = 'containerStatuses', container = 'c' } = {}) => [
  pod(name, spec),
  set(name, { [list]: [state(container, running)] }),
  set(name, { [list]: [state(container, ended(exitCode))] }),
  set(name, { [list]: [state(container, waiting)] }),
  set(name, { [list]: [state(container, running)] }),
];
const init = (more = {}) => ({ initContainers: [{ name: 'i', image: 'nginx', ...more }] });
const ofInit = { list: 'initContainerStatuses', container: 'i' };
const restarts = [
  ...revived('always', {}),
  ...revived('never', never),
  ...revived('on-failure-0', { restartPolicy: 'OnFailure' }),
  ...revived('on-failure-1', { restartPolicy: 'OnFailure' }, { exitCode: 1 }),
  ...revived('rule-matches', { ...never, containers: [{ name: 'c', image: 'nginx', restartPolicy: 'Never', restartPolicyRules: rules }] }, { exitCode: 42 }),
  ...revived('rule-differs', { ...never, containers: [{ name: 'c', image: 'nginx', restartPolicy: 'Never', restartPolicyRules: rules }] }, { exitCode: 41 }),
  ...revived('own-policy', { ...never, containers: [{ name: 'c', image: 'nginx', restartPolicy: 'Always' }] }),
  ...revived('own-never', { containers: [{ name: 'c', image: 'nginx', restartPolicy: 'Never' }] }),
  ...revived('everything', { ...never, containers: [{ name: 'c', image: 'nginx' }, { name: 'd', image: 'nginx', restartPolicy: 'Never', restartPolicyRules: all }] }),
  ...revived('sidecar', { ...never, ...init({ restartPolicy: 'Always' }) }, ofInit),
  ...revived('init-never', { ...never, ...init() }, ofInit),
  ...revived('init-always', init(), ofInit),
  ...revived('unknown', never, { container: 'other' }),
  ...revived('unknown-always', {}, { container: 'other' }),
  ...revived('ephemeral', {}, { list: 'ephemeralContainerStatuses', container: 'e' }),
  set('ephemeral', { ephemeralContainerStatuses: [{ ...state('e', ended(0)), allocatedResourcesStatus: [{ name: 'cpu', resources: [] }] }] }),
];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'pod-statuses-rec' } }],
  ['POST', PODS.replace(/pods$/, 'serviceaccounts'), { metadata: { name: 'default' } }],
  ...fields,
  ...restarts,
];
