/** Requests that mutating admission policies change or reject. Run by `kube-apiserver/testdata/run-steps.mjs`. */
const GROUP = '/apis/admissionregistration.k8s.io/v1';
const NS = '/api/v1/namespaces/mutations-rec';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/mutations-rec/deployments';
const selector = { matchLabels: { set: 'mutations-rec' } };

/** The policies of this script apply to the objects in its namespace that have the policy's name. */
const policy = (name, spec, resource = 'configmaps') => [
  'POST',
  `${GROUP}/mutatingadmissionpolicies`,
  {
    metadata: { name: `rec-${name}` },
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'mutations-rec' } },
        resourceRules: [
          {
            apiGroups: resource === 'deployments' ? ['apps'] : [''],
            apiVersions: ['v1'],
            resources: [resource],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
      },
      matchConditions: [{ name: 'mine', expression: `object.metadata.name.startsWith('${name}-')` }],
      ...spec,
    },
  },
];
const bind = (name, spec = {}) => [
  'POST',
  `${GROUP}/mutatingadmissionpolicybindings`,
  { metadata: { name: `rec-${name}-binding` }, spec: { policyName: `rec-${name}`, ...spec } },
];
const apply = (expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const map = (name, labels) => ['POST', `${NS}/configmaps?dryRun=All`, { metadata: { name, labels }, data: { a: '1' } }];
const deployment = (name) => [
  'POST',
  `${DEPLOYMENTS}?dryRun=All`,
  {
    metadata: { name },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
];
const params = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };
const remove = (name) => ['DELETE', `${GROUP}/mutatingadmissionpolicies/rec-${name}`];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'mutations-rec' } }],
  ['POST', `${NS}/configmaps`, { metadata: { name: 'limits', labels: { set: 'mutations-rec' } }, data: { max: '3' } }],
  // rejected when they are written
  policy('bad', { mutations: [apply('Object{')] }),
  policy('bad', { mutations: [apply('Object.spec{}')] }),
  policy('bad', { mutations: [apply('{"a": 1}')] }),
  policy('bad', { mutations: [patch('[]')] }),
  policy('bad', { mutations: [patch('[JSONPatch{op: 1, path: "/a"}]')] }),
  policy('bad', { mutations: [patch('JSONPatch{op: "add"}')] }),
  policy('bad', { mutations: [apply('Object{metadata: Object.metadata{labels: params.data}}')] }),
  policy('bad', { mutations: [apply('Object{metadata: Object.metadata{labels: variables.none}}')] }),
  policy('bad', { variables: [{ name: 'v', expression: 'Object{}' }], mutations: [apply('Object{}')] }),
  // used
  policy('merge', { mutations: [apply("Object{metadata: Object.metadata{labels: {'added': 'yes'}}, data: {'b': '2'}}")] }),
  bind('merge'),
  policy('patch', {
    variables: [{ name: 'key', expression: "'example.com/a~b'" }],
    mutations: [
      patch("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'x': 'y'}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey(variables.key), value: object.data.a}]"),
      patch("[JSONPatch{op: 'test', path: '/data/a', value: 'none'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
      patch("[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'move', from: '/data/a', path: '/data/c'}]"),
    ],
  }),
  bind('patch'),
  policy('param', { ...params, mutations: [apply("Object{data: {'max': params.data.max}}")] }),
  bind('param', { paramRef: { selector, parameterNotFoundAction: 'Deny' } }),
  policy('noparam', { ...params, mutations: [apply("Object{data: {'max': '1'}}")] }),
  bind('noparam', {
    paramRef: { name: 'none', parameterNotFoundAction: 'Deny' },
    matchResources: { objectSelector: { matchLabels: { noparam: 'yes' } } },
  }),
  policy('wrong', { mutations: [apply('Object{metadata: Object.data{}}')] }),
  bind('wrong'),
  policy('error', { mutations: [apply('Object{data: {"a": object.data.none}}')] }),
  bind('error'),
  policy('open', { failurePolicy: 'Ignore', mutations: [apply('Object{data: {"a": object.data.none}}')] }),
  bind('open'),
  policy('missing', { mutations: [patch("[JSONPatch{op: 'remove', path: '/data/none'}]")] }),
  bind('missing'),
  policy('field', { mutations: [apply('Object{bogus: "1"}')] }),
  bind('field'),
  policy('scalar', { mutations: [apply('Object{data: {"a": 1}}')] }),
  bind('scalar'),
  policy('unknown', { mutations: [patch("[JSONPatch{op: 'add', path: '/bogus', value: 1}]")] }),
  bind('unknown'),
  policy('first', { mutations: [apply("Object{data: {'first': object.data.a}}")] }),
  bind('first'),
  policy('scale', { mutations: [apply('Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "c", imagePullPolicy: "Never"}]}}}}')] }, 'deployments'),
  bind('scale'),
  policy('atomic', { mutations: [apply('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"c": "d"}}}}')] }, 'deployments'),
  bind('atomic'),
  policy('condition', { matchConditions: [{ name: 'c', expression: "object.metadata.name.startsWith('condition-') && object.data.none == ''" }], mutations: [apply("Object{}")] }),
  bind('condition'),
  map('merge-a'),
  map('patch-a'),
  map('param-a'),
  map('noparam-a', { noparam: 'yes' }),
  map('wrong-a'),
  map('error-a'),
  map('open-a'),
  map('missing-a'),
  map('field-a'),
  map('scalar-a'),
  map('unknown-a'),
  map('first-a'),
  deployment('scale-a'),
  deployment('atomic-a'),
  map('condition-a'),
  ...['merge', 'patch', 'param', 'noparam', 'wrong', 'error', 'open', 'missing', 'field', 'scalar', 'unknown', 'first', 'scale', 'atomic', 'condition'].map(remove),
  ['DELETE', NS],
];
