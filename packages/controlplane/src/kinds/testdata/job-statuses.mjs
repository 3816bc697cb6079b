/** Valid and invalid writes of a Job's status by a controller. Run by `kube-apiserver/testdata/run-steps.mjs`. */
const JOBS = '/apis/batch/v1/namespaces/job-statuses-rec/jobs';
const START = '2026-01-02T03:04:05Z';
const LATER = '2026-01-02T03:05:05Z';
const EARLIER = '2026-01-02T03:03:05Z';

const spec = (more) => ({ template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx' }] } }, ...more });
const job = (name, more = {}) => ['POST', JOBS, { metadata: { name }, spec: spec(more) }];
const set = (name, status) => ['PATCH', `${JOBS}/${name}/status`, { status }, { type: 'merge' }];
const conditions = (...types) =>
  types.map((text) => {
    const [type, status = 'True'] = text.split('=');
    return { type, status, lastProbeTime: START, lastTransitionTime: START };
  });
const complete = { conditions: conditions('SuccessCriteriaMet', 'Complete'), completionTime: LATER };
const failed = { conditions: conditions('FailureTarget', 'Failed') };

const counters = [
  job('counters'),
  set('counters', { active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 }),
  set('counters', { active: 1, ready: 2 }),
  set('counters', { startTime: START, active: 2, ready: 1, succeeded: 2, failed: 2 }),
  set('counters', { failed: 1 }),
  set('counters', { succeeded: 1 }),
  set('counters', { startTime: LATER }),
  set('counters', { uncountedTerminatedPods: { succeeded: ['a', '', 'a'], failed: ['a', 'b'] } }),
  set('counters', { completionTime: LATER }),
  set('counters', { completedIndexes: '0' }),
  set('counters', { failedIndexes: '0' }),
];

const finished = [
  job('finished'),
  set('finished', { conditions: conditions('Complete') }),
  set('finished', { conditions: conditions('Failed') }),
  set('finished', { conditions: conditions('Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet') }),
  set('finished', { ...complete, startTime: null }),
  set('finished', { ...complete, startTime: START, completionTime: null }),
  set('finished', { ...complete, startTime: START, completionTime: EARLIER }),
  set('finished', { ...complete, startTime: START, active: 1, terminating: 1, uncountedTerminatedPods: { succeeded: ['a'] } }),
  set('finished', { ...complete, startTime: START }),
  set('finished', { completionTime: EARLIER }),
  set('finished', { conditions: conditions('SuccessCriteriaMet') }),
  set('finished', { conditions: conditions('Complete') }),
  set('finished', { conditions: [] }),
];

const failure = [
  job('failure'),
  set('failure', { ...failed, startTime: START }),
  set('failure', { conditions: conditions('Failed') }),
  set('failure', { conditions: conditions('FailureTarget') }),
  set('failure', { conditions: [...conditions('FailureTarget', 'Failed'), ...conditions('SuccessCriteriaMet')] }),
  set('failure', { conditions: conditions('FailureTarget=False', 'Failed') }),
];

const indexes = [
  job('indexes', { completionMode: 'Indexed', completions: 5, parallelism: 2, backoffLimitPerIndex: 1 }),
  ...['5', '1,1', '3-2', 'x', '0-1-2'].map((completedIndexes) => set('indexes', { completedIndexes })),
  set('indexes', { failedIndexes: '9' }),
  set('indexes', { completedIndexes: '0-2', failedIndexes: '2-3' }),
  set('indexes', { completedIndexes: '0-2', failedIndexes: '3,4' }),
];

const elastic = [
  job('elastic', { completionMode: 'Indexed', completions: 3, parallelism: 3 }),
  set('elastic', { startTime: START, succeeded: 3 }),
  set('elastic', { succeeded: 2 }),
];

const suspended = [
  job('suspended', { suspend: true }),
  set('suspended', { startTime: START }),
  set('suspended', { startTime: null, conditions: conditions('Suspended') }),
  ['PATCH', `${JOBS}/suspended`, { spec: { suspend: false } }, { type: 'merge' }],
  set('suspended', { startTime: LATER, conditions: conditions('Suspended=False') }),
  set('suspended', { startTime: START }),
];

const policies = [
  job('policies', { completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{ succeededCount: 1 }] } }),
  set('policies', { startTime: START, completionTime: LATER, conditions: conditions('Complete') }),
  set('policies', { ...complete, startTime: START }),
];

const change = (name, template) => [
  'PATCH',
  `${JOBS}/${name}?dryRun=All`,
  { spec: { template } },
  { type: 'strategic' },
];
const container = (more) => ({ spec: { containers: [{ name: 'c', ...more }] } });
const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }];
const term = { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } } };
const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
const templateChanges = (name) => [
  change(name, { metadata: { labels: { q: 'z' }, annotations: { q: 'z' } } }),
  change(name, { spec: { nodeSelector: { a: 'b' }, tolerations: [{ operator: 'Exists' }] } }),
  change(name, { spec: { schedulingGates: [{ name: 'a.io/b' }] } }),
  change(name, { spec: { affinity: { nodeAffinity } } }),
  change(name, { spec: { affinity: {} } }),
  change(name, { spec: { affinity: { podAffinity } } }),
  change(name, container({ resources: { requests: { cpu: '2' }, limits: { memory: '1Gi' } } })),
  change(name, { spec: { initContainers: [{ name: 'i', resources: { requests: { cpu: '2' } } }] } }),
  change(name, container({ image: 'other' })),
  change(name, { spec: { containers: [{ name: 'd', image: 'nginx' }] } }),
  change(name, { spec: { resources: { requests: { cpu: '4' } } } }),
  change(name, { spec: { priorityClassName: 'system-node-critical' } }),
  change(name, { spec: { terminationGracePeriodSeconds: 5 } }),
];
const placed = {
  template: {
    spec: {
      restartPolicy: 'Never',
      nodeSelector: { a: 'c' },
      affinity: { nodeAffinity, podAffinity },
      containers: [{ name: 'c', image: 'nginx', resources: { requests: { cpu: '1' } } }],
      initContainers: [{ name: 'i', image: 'nginx' }],
    },
  },
};
const templates = [
  job('waiting', { suspend: true }),
  ...templateChanges('waiting'),
  job('placed', { suspend: true, ...placed }),
  ...templateChanges('placed'),
  change('placed', { spec: { nodeSelector: null, affinity: null } }),
  change('placed', { spec: { affinity: { nodeAffinity: null } } }),
  ...[
    { active: 1 },
    { startTime: START },
    { startTime: START, active: 1, conditions: conditions('Suspended') },
    { startTime: START, active: 0, conditions: conditions('Suspended') },
  ].flatMap((status, index) => [
    job(`stopped-${index}`, { suspend: true }),
    set(`stopped-${index}`, status),
    change(`stopped-${index}`, { spec: { nodeSelector: { a: 'b' } } }),
    change(`stopped-${index}`, container({ resources: { requests: { cpu: '2' } } })),
  ]),
  job('running'),
  change('running', { spec: { nodeSelector: { a: 'b' } } }),
];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'job-statuses-rec' } }],
  ...counters,
  ...finished,
  ...failure,
  ...indexes,
  ...elastic,
  ...suspended,
  ...policies,
  ...templates,
];
