/** Policies whose `status.typeChecking` is recorded from kube-controller-manager, to compare with ours. */
const rule = (group, version, ...resources) => ({
  apiGroups: [group],
  apiVersions: [version],
  resources,
  operations: ['CREATE'],
});
const validations = (...expressions) =>
  expressions.map((one) => (typeof one === 'string' ? { expression: one } : one));
const policy = (name, rules, spec) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: rules }, ...spec },
});
const deployments = [rule('apps', 'v1', 'deployments')];

export const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'limits.typed.example.com' },
  spec: {
    group: 'typed.example.com',
    scope: 'Cluster',
    names: { plural: 'limits', singular: 'limit', kind: 'Limit', listKind: 'LimitList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { max: { type: name === 'v1' ? 'integer' : 'string' }, share: { 'x-kubernetes-int-or-string': true } },
            },
            open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    })),
  },
};

export const policies = [
  policy('fine', deployments, { validations: validations("object.spec.replicas <= 5 && object.metadata.labels['a'] == 'b'") }),
  policy('wrong-type', deployments, { validations: validations('object.spec.replicas > "1"', 'object.metadata.name == 3') }),
  policy('missing-field', deployments, {
    validations: validations('object.spec.missing == 1', {
      expression: 'has(oldObject.spec.template.spec.nothing)',
      messageExpression: '"replicas " + object.spec.replicas',
    }),
  }),
  policy('several-kinds', [rule('apps', 'v1', 'deployments', 'daemonsets', 'statefulsets/scale'), rule('', 'v1', 'configmaps')], {
    validations: validations('object.spec.replicas > 1', 'object.data.a == "b"'),
  }),
  policy('wildcards', [rule('*', 'v1', 'deployments'), rule('apps', '*', 'deployments'), rule('apps', 'v1', '*')], {
    validations: validations('object.missing == 1'),
  }),
  policy('unknown', [rule('nothing.example.com', 'v1', 'things')], { validations: validations('object.missing == 1') }),
  policy('any-group', [rule('', 'v1', 'events')], { validations: validations('object.missing == 1') }),
  policy('dynamic', deployments, {
    validations: validations(
      'object.spec.strategy.rollingUpdate.maxSurge > 3',
      "object.spec.template.spec.containers.all(c, c.resources.limits['cpu'] == '1')",
      "object.metadata.creationTimestamp < timestamp('2020-01-01T00:00:00Z')",
      "object.metadata.creationTimestamp == 'x'",
    ),
  }),
  policy('variables', deployments, {
    variables: [
      { name: 'replicas', expression: 'object.spec.replicas' },
      { name: 'broken', expression: 'object.spec.missing' },
      { name: 'twice', expression: 'variables.replicas * 2' },
    ],
    validations: validations('variables.replicas == "x"', 'variables.broken == 1', 'variables.twice == 2'),
  }),
  policy('request', deployments, {
    validations: validations(
      'request.userInfo.username == object.spec.replicas',
      'namespaceObject.metadata.labels["a"] == object.spec.replicas',
      'namespaceObject.status.phase == object.metadata.name',
      "authorizer.requestResource.check('get').allowed()",
      "authorizer.group('').resource('pods').check('get').allowed()",
    ),
  }),
  policy('typed-params', deployments, {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: validations('params.data.max == 1', 'params.missing == 1'),
  }),
  policy('unknown-params', deployments, {
    paramKind: { apiVersion: 'nothing.example.com/v1', kind: 'Thing' },
    validations: validations('params.data.max == 1', 'params.missing == 1'),
  }),
  policy('custom', [rule('typed.example.com', 'v1', 'limits')], {
    validations: validations('object.spec.max == "1"', 'object.spec.share > 3', 'object.open.a == 1', 'object.metadata.labels.a == 1'),
  }),
  policy('custom-versions', [{ ...rule('typed.example.com', 'v1', 'limits'), apiVersions: ['v2', 'v1'] }], {
    paramKind: { apiVersion: 'typed.example.com/v2', kind: 'Limit' },
    validations: validations('object.spec.max == params.spec.max'),
  }),
];
