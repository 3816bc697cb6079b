// Requests whose audit events have annotations of policies and webhooks. See record-steps.mjs for the format of steps.
const registration = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/annotated/configmaps';
const labels = { 'kubernetes.io/metadata.name': 'annotated' };
const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

const policy = (name, spec) => [
  'POST',
  `${registration}/validatingadmissionpolicies`,
  { metadata: { name }, spec: { matchConstraints: { namespaceSelector: { matchLabels: labels }, resourceRules: rules }, ...spec } },
];
const bind = (policyName, name, spec) => [
  'POST',
  `${registration}/validatingadmissionpolicybindings`,
  { metadata: { name: `${policyName}-${name}` }, spec: { policyName, ...spec } },
];
const failing = (kind, count) => [
  'POST',
  `${registration}/${kind}webhookconfigurations`,
  {
    metadata: { name: `failing-${kind}` },
    webhooks: Array.from({ length: count }, (_, index) => ({
      name: `failing-${index}.example.com`,
      clientConfig: { url: 'https://127.0.0.1:1/none' },
      rules: index === 1 ? [{ ...rules[0], resources: ['secrets'] }] : rules,
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      namespaceSelector: { matchLabels: labels },
    })),
  },
];
const create = (name, data) => ['POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'annotated' } }],
  create('low', { max: '1' }),
  create('high', { max: '9' }),
  policy('checked.example.com', {
    validations: [
      { expression: 'true' },
      { expression: "object.metadata.name != 'wrong' && object.metadata.name < 'x' && true" },
      { expression: "object.metadata.name != 'broken' || object.data.missing == 'x'" },
    ],
    auditAnnotations: [
      { key: 'named', valueExpression: "' the name is ' + object.metadata.name + '\\n'" },
      { key: 'nothing', valueExpression: 'null' },
      { key: 'empty', valueExpression: "'  '" },
      { key: 'long', valueExpression: "object.metadata.name == 'long' ? 'x' + lists.range(5200).map(i, 'é').join() : ''" },
    ],
  }),
  policy('limited.example.com', {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: "object.metadata.name != 'much'", messageExpression: "'<max> & ' + params.data.max" }],
    auditAnnotations: [{ key: 'limit', valueExpression: 'string(params.data.max)' }],
  }),
  failing('mutating', 3),
  failing('validating', 3),
  bind('checked.example.com', 'audit', { validationActions: ['Audit', 'Warn'] }),
  bind('limited.example.com', 'low', { validationActions: ['Audit'], paramRef: { name: 'low', namespace: 'annotated', parameterNotFoundAction: 'Deny' } }),
  bind('limited.example.com', 'high', { validationActions: ['Deny'], paramRef: { name: 'high', namespace: 'annotated', parameterNotFoundAction: 'Deny' } }),
  create('right'),
  create('wrong'),
  create('much'),
  create('broken'),
  create('long'),
  ['POST', '/api/v1/namespaces/annotated/secrets', { metadata: { name: 'other' } }],
];
