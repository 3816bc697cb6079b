/** Requests that call admission webhooks, for the recorder and the replay, which substitute `{url}`, `{ca}` and `{otherCa}`. */
const REG = '/apis/admissionregistration.k8s.io/v1';
const NS = '/api/v1/namespaces/wh-rec';
const CMS = `${NS}/configmaps`;
const merge = { type: 'merge' };
const apply = { type: 'apply' };

const rule = (operations, group, resources, more = {}) => ({ operations, apiGroups: [group], apiVersions: ['v1'], resources, ...more });
const createCm = [rule(['CREATE'], '', ['configmaps'])];
const hook = (name, path, more = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `{url}/${path}`, caBundle: '{ca}' },
  rules: createCm,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 5,
  objectSelector: { matchLabels: { case: name } },
  ...more,
});
const configuration = (kind, name, webhooks) => ['POST', `${REG}/${kind}webhookconfigurations`, {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind === 'mutating' ? 'Mutating' : 'Validating'}WebhookConfiguration`,
  metadata: { name },
  webhooks,
}];
const validating = (name, ...webhooks) => configuration('validating', name, webhooks);
const mutating = (name, ...webhooks) => configuration('mutating', name, webhooks);
const remove = (kind, name) => ['DELETE', `${REG}/${kind}webhookconfigurations/${name}`];
const config = (name, more = {}) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { case: name } }, data: { k: 'v' }, ...more });
const create = (name, query = '') => ['POST', `${CMS}${query}`, config(name)];
const ignore = { failurePolicy: 'Ignore' };
const service = (name, more = {}) => ({ clientConfig: { service: { namespace: 'wh-rec', name, port: 443, path: '/allow', ...more }, caBundle: '{ca}' } });
const conditions = (...expressions) => ({ matchConditions: expressions.map((expression, i) => ({ name: `c${i}`, expression })) });

/** A webhook for each behavior: `v-x` behaves like `x`. */
const verdicts = ['allow', 'audit', 'deny', 'deny-message', 'deny-full', 'deny-success', 'deny-reason', 'deny-teapot', 'deny-700', 'deny-warn',
  'deny-metadata', 'warn', 'warn-long', 'warn-many', 'wrong-uid', 'no-uid', 'no-response', 'wrong-version', 'wrong-kind', 'unknown-kind', 'no-type',
  'extra-fields', 'bad-type', 'not-json', 'empty', 'empty-object', 'http-500', 'http-500-json', 'http-404', 'http-400', 'http-403', 'http-204',
  'redirect-307', 'redirect-302', 'redirect-loop', 'cut', 'with-patch', 'with-type'];
const changes = ['label', 'label-none', 'data', 'data-replace', 'bad-data', 'number-data', 'unknown-field', 'test-fails', 'bad-pointer', 'bad-remove',
  'bad-op', 'rename', 'move', 'no-kind', 'other-kind', 'bad-managed', 'finalizer', 'twice-owned', 'empty-patch', 'null-patch', 'no-patch-type',
  'only-patch-type', 'other-patch-type', 'empty-patch-type', 'not-base64', 'not-a-patch', 'not-json-patch', 'deny-message', 'warn', 'wrong-uid', 'http-500'];

/** Webhooks with different configurations. */
const configured = [
  hook('c-ignore', 'http-500', ignore),
  hook('c-ignore-deny', 'deny', ignore),
  hook('c-beta', 'allow', { admissionReviewVersions: ['v1beta1'] }),
  hook('c-beta-loose', 'no-uid', { admissionReviewVersions: ['v2', 'v1beta1', 'v1'] }),
  hook('c-beta-patch', 'no-patch-type', { admissionReviewVersions: ['v1beta1'] }),
  hook('c-refused', 'allow', { clientConfig: { url: 'https://127.0.0.1:1/none' } }),
  hook('c-refused-ignore', 'allow', { clientConfig: { url: 'https://127.0.0.1:1/none' }, ...ignore }),
  hook('c-other-ca', 'allow', { clientConfig: { url: '{url}/allow', caBundle: '{otherCa}' } }),
  hook('c-no-ca', 'allow', { clientConfig: { url: '{url}/allow' } }),
  hook('c-localhost', 'allow', { clientConfig: { url: '{localhost}/allow', caBundle: '{ca}' } }),
  hook('c-slow', 'hang', { timeoutSeconds: 1 }),
  hook('c-slow-ignore', 'hang', { timeoutSeconds: 1, ...ignore }),
  hook('c-no-service', 'allow', service('none')),
  hook('c-no-port', 'allow', service('plain', { port: 81 })),
  hook('c-headless', 'allow', service('headless')),
  hook('c-external', 'allow', service('hooks', { port: '{port}' })),
  hook('c-external-name', 'allow', service('strangers', { port: '{port}' })),
  hook('c-true', 'allow', conditions('true', 'object.data.k == "v"', 'request.operation == "CREATE"')),
  hook('c-false', 'allow', conditions('request.userInfo.username != "admin"')),
  hook('c-error', 'allow', conditions('object.data.missing == "v"')),
  hook('c-errors', 'allow', conditions('object.data.missing == "v"', 'true', 'oldObject.x == 1')),
  hook('c-error-ignore', 'allow', { ...conditions('object.data.missing == "v"'), ...ignore }),
  hook('c-error-false', 'allow', conditions('object.data.missing == "v"', 'false')),
  hook('c-old-null', 'allow', conditions('oldObject == null', 'has(object.metadata.labels)', '!has(request.subResource) || request.subResource == ""')),
  hook('c-request', 'allow', conditions('request.kind.kind == "ConfigMap" && request.resource.resource == "configmaps" && request.namespace == "wh-rec" && request.dryRun == false', '"system:masters" in request.userInfo.groups', 'request.name == "c-request"')),
  hook('c-options', 'allow', conditions('request.options.fieldManager == "me"')),
  hook('c-access', 'allow', conditions('authorizer.group("").resource("pods").namespace("wh-rec").check("create").allowed()', 'authorizer.requestResource.check("delete").allowed()', 'authorizer.path("/metrics").check("get").allowed()')),
  hook('c-access-account', 'allow', conditions('authorizer.serviceAccount("wh-rec", "nobody").group("apps").resource("deployments").subresource("status").name("x").check("update").allowed()')),
  hook('c-access-reason', 'allow', conditions('authorizer.serviceAccount("wh-rec", "nobody").group("").resource("configmaps").namespace("wh-rec").labelSelector("a=b").check("create").reason() == ""')),
  hook('c-access-either', 'allow', conditions('object.data.missing == "v" || authorizer.requestResource.check("get").allowed()')),
  hook('c-access-decision', 'allow', conditions('!authorizer.requestResource.check("get").errored() && authorizer.requestResource.check("get").error() == ""')),
  hook('c-access-resource', 'allow', conditions('authorizer.group("").resource(" ").check("get").allowed()')),
  hook('c-access-path', 'allow', conditions('authorizer.path("").check("get").allowed()')),
  hook('c-access-name', 'allow', conditions('authorizer.serviceAccount("wh-rec", "No Body").path("/x").check("get").allowed()')),
  hook('c-access-namespace', 'allow', conditions('authorizer.serviceAccount("wh.rec", "nobody").path("/x").check("get").allowed()')),
  hook('c-access-7', 'allow', conditions('[1, 2, 3, 4, 5, 6, 7].all(i, authorizer.path("/" + string(i)).check("get").allowed())')),
  hook('c-access-8', 'allow', conditions('[1, 2, 3, 4, 5, 6, 7, 8].all(i, authorizer.path("/" + string(i)).check("get").allowed())')),
  hook('c-selector-no', 'allow', { namespaceSelector: { matchLabels: { team: 'other' } } }),
  hook('c-selector', 'allow', { namespaceSelector: { matchLabels: { team: 'red' } } }),
  hook('c-scope-cluster', 'allow', { rules: [rule(['CREATE'], '', ['configmaps'], { scope: 'Cluster' })] }),
  hook('c-scope-namespaced', 'allow', { rules: [rule(['CREATE'], '', ['configmaps'], { scope: 'Namespaced' })] }),
  hook('c-version', 'allow', { rules: [{ ...createCm[0], apiVersions: ['v2'] }] }),
  hook('c-group', 'allow', { rules: [{ ...createCm[0], apiGroups: ['apps'] }] }),
  hook('c-star', 'allow', { rules: [rule(['*'], '*', ['*/*'], { apiVersions: ['*'] })] }),
  hook('c-star-main', 'allow', { rules: [rule(['*'], '*', ['*'], { apiVersions: ['*'] })] }),
  hook('c-sub-only', 'allow', { rules: [rule(['*'], '*', ['*/status'], { apiVersions: ['*'] })] }),
  hook('c-two-rules', 'allow', { rules: [rule(['DELETE'], '', ['configmaps']), rule(['CREATE'], '', ['secrets', 'configmaps'])] }),
];

const life = (operations, resources, group = '') => hook('life', 'allow', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [rule(operations, group, resources, { apiVersions: ['*'] })] });
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { app: 'p' } }, spec: { automountServiceAccountToken: false, serviceAccountName: 'worker', containers: [{ name: 'c', image: 'nginx' }] } };
const deployment = (name, labels) => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels }, spec: { replicas: 1, selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } } } });
const WIDGETS = (version) => `/apis/wh.example.com/${version}/namespaces/wh-rec/widgets`;
const widget = (version, name, spec = { size: 1 }) => ({ apiVersion: `wh.example.com/${version}`, kind: 'Widget', metadata: { name, labels: { case: name } }, spec });
const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, replicas: { type: 'integer' }, color: { type: 'string', default: 'red' } } }, status: { type: 'object', properties: { replicas: { type: 'integer' }, message: { type: 'string' } } } } } };
const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.wh.example.com' }, spec: { group: 'wh.example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema, subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } } })) } };
const hpa = (version) => ({ apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata: { name: `h-${version}` }, spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } } });
const widgetRule = (operations, version, resources = ['widgets']) => ({ operations, apiGroups: ['wh.example.com'], apiVersions: [version], resources });

/** Webhook configurations that the server rejects. */
const anyRule = (more) => ({ rules: [{ ...createCm[0], ...more }] });
const serviceAt = (more) => ({ clientConfig: { service: { namespace: 'n', name: 's', ...more } } });
const faulty = [
  { name: 'short.com' },
  { name: 'UPPER.example.com' },
  { name: '' },
  { failurePolicy: 'Maybe' },
  { matchPolicy: 'Almost' },
  { sideEffects: 'Some' },
  { sideEffects: undefined },
  { timeoutSeconds: 0 },
  { timeoutSeconds: 31 },
  { admissionReviewVersions: [] },
  { admissionReviewVersions: ['v2'] },
  { admissionReviewVersions: ['v1', 'v1', 'V3'] },
  { clientConfig: {} },
  { clientConfig: { url: 'https://a', service: { namespace: 'n', name: 's' } } },
  { clientConfig: { url: 'http://user:word@host/path?q=1#frag' } },
  { clientConfig: { url: 'https:///path' } },
  serviceAt({ name: '' }),
  serviceAt({ namespace: '', port: 70000 }),
  serviceAt({ path: 'relative' }),
  serviceAt({ path: '/a//b' }),
  serviceAt({ path: '//' }),
  serviceAt({ path: '/UP/' }),
  anyRule({ operations: [] }),
  anyRule({ operations: ['*', 'CREATE'] }),
  anyRule({ operations: ['MAKE'] }),
  anyRule({ apiGroups: ['*', 'apps'] }),
  anyRule({ apiGroups: [], apiVersions: [], resources: [] }),
  anyRule({ apiVersions: ['*', 'v1', ''] }),
  anyRule({ resources: ['*', '*/*'] }),
  anyRule({ resources: ['*', 'pods'] }),
  anyRule({ resources: ['pods/*', 'pods/status', ''] }),
  anyRule({ resources: ['*/status', 'pods/status'] }),
  anyRule({ scope: 'Everywhere' }),
  { objectSelector: { matchExpressions: [{ key: 'a b', operator: 'Near', values: ['x'] }] } },
  { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
  conditions('object.'),
  conditions('1 + 1'),
  conditions(''),
  conditions('request.nothing == 1'),
  conditions('unknown == 1'),
  conditions('authorizer.requestResource.allowed()'),
  conditions('authorizer.group("apps")'),
  conditions('authorizer.group(1).resource("pods").check("get").allowed()'),
  { matchConditions: [{ name: 'a', expression: 'true' }, { name: 'a', expression: 'true' }, { name: '', expression: 'true' }, { name: 'a b', expression: 'true' }] },
];

export const steps = [
  ['POST', '/api/v1/namespaces', { metadata: { name: 'wh-rec', labels: { team: 'red' } } }],
  ['POST', `${NS}/serviceaccounts`, { metadata: { name: 'worker' } }],
  ['POST', `${NS}/services`, { metadata: { name: 'plain' }, spec: { ports: [{ port: 443 }] } }],
  ['POST', `${NS}/services`, { metadata: { name: 'headless' }, spec: { clusterIP: 'None', ports: [{ port: 443 }] } }],
  ['POST', `${NS}/services`, { metadata: { name: 'hooks' }, spec: { type: 'ExternalName', externalName: 'localhost' } }],
  ['POST', `${NS}/services`, { metadata: { name: 'strangers' }, spec: { type: 'ExternalName', externalName: 'localhost' } }],
  // responses of webhooks
  validating('verdicts', ...verdicts.map((name) => hook(`v-${name}`, name))),
  ...verdicts.map((name) => create(`v-${name}`)),
  remove('validating', 'verdicts'),
  mutating('changes', ...changes.map((name) => hook(`m-${name}`, name))),
  ...changes.map((name) => create(`m-${name}`)),
  ['POST', CMS, { ...config('m-data'), metadata: { generateName: 'gen-', labels: { case: 'm-label' } } }],
  ['POST', `${CMS}?dryRun=All`, { ...config('m-data'), metadata: { name: 'dry', labels: { case: 'm-label' } } }],
  ['PATCH', `${CMS}/applied?fieldManager=applier&force=true`, { ...config('m-label'), metadata: { name: 'applied', labels: { case: 'm-label' } } }, apply],
  remove('mutating', 'changes'),
  // configurations
  validating('configured', ...configured.slice(0, 20)),
  validating('configured2', ...configured.slice(20)),
  ...configured.map(({ name }) => create(name.replace('.example.com', ''), name.startsWith('c-options') ? '?fieldManager=me&fieldValidation=Strict' : '')),
  ['POST', CMS, { ...config('other'), metadata: { name: 'no-manager', labels: { case: 'c-options' } } }],
  ['POST', CMS, { ...config('other'), metadata: { name: 'impersonated', labels: { case: 'c-false' } } }, { headers: { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters', 'impersonate-uid': '42', 'impersonate-extra-scopes': 'a' } }],
  ...faulty.map((more, index) => validating(`faulty-${index}`, hook('faulty', 'allow', more))),
  validating('faulty-twice', hook('faulty', 'allow'), hook('faulty', 'allow')),
  mutating('faulty-policy', hook('faulty', 'allow', { reinvocationPolicy: 'Always' })),
  remove('validating', 'configured'),
  remove('validating', 'configured2'),
  // order and reinvocation
  mutating('b-second', hook('order', 'label-b', { objectSelector: { matchLabels: { order: 'yes' } } })),
  mutating('a-first', hook('first', 'count-up', { objectSelector: { matchLabels: { order: 'yes' } }, reinvocationPolicy: 'IfNeeded' }), hook('second', 'label-a', { objectSelector: { matchLabels: { order: 'yes' } } })),
  mutating('c-third', hook('third', 'label-b', { objectSelector: { matchLabels: { order: 'yes' } }, reinvocationPolicy: 'IfNeeded' })),
  validating('judge', hook('judge', 'deny-patched', { objectSelector: { matchLabels: { judged: 'yes' } } })),
  ['POST', CMS, { ...config('o'), metadata: { name: 'order', labels: { order: 'yes' } } }],
  ['POST', CMS, { ...config('o'), metadata: { name: 'judged', labels: { order: 'yes', judged: 'yes' } } }],
  remove('mutating', 'a-first'),
  remove('mutating', 'b-second'),
  remove('mutating', 'c-third'),
  remove('validating', 'judge'),
  // every operation
  validating('life', life(['*'], ['*/*'], '*')),
  create('all'),
  ['PUT', `${CMS}/all`, { $merge: { data: { k: 'w' } } }],
  ['PATCH', `${CMS}/all?fieldManager=patcher`, { data: { k: 'x' } }, merge],
  ['PATCH', `${CMS}/all?fieldManager=patcher`, { data: { k: 'x' } }, merge],
  ['PATCH', `${CMS}/made?fieldManager=applier`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data: { k: 'a' } }, apply],
  ['PUT', `${CMS}/none`, config('none')],
  ['DELETE', `${CMS}/none`],
  ['DELETE', `${CMS}/all?gracePeriodSeconds=0`],
  ['DELETE', `${CMS}/made?dryRun=All`, { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background', dryRun: ['All'] }],
  ['DELETE', `${CMS}?labelSelector=case%3Dm-label`, undefined],
  ['POST', `${NS}/pods`, pod],
  ['PATCH', `${NS}/pods/p/status`, { status: { message: 'hello' } }, merge],
  ['POST', `${NS}/pods/p/exec?container=c&command=ls&command=-l&stdout=true&stdin=false`, undefined],
  ['POST', `${NS}/pods/p/eviction?dryRun=All`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } }],
  ['POST', `${NS}/pods/p/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } }],
  ['POST', `${NS}/pods/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' }, deleteOptions: { gracePeriodSeconds: 0 } }],
  ['POST', `${NS}/serviceaccounts/worker/token?dryRun=All`, { spec: { expirationSeconds: 3600 } }],
  ['PATCH', '/api/v1/namespaces/wh-rec', { metadata: { labels: { extra: 'yes' } } }, merge],
  remove('validating', 'life'),
  // denials of every operation
  validating('never', hook('never', 'deny-message', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [rule(['UPDATE', 'DELETE', 'CONNECT'], '', ['configmaps', 'pods/*'])] })),
  ['PATCH', `${CMS}/made`, { data: { k: 'z' } }, merge],
  ['DELETE', `${CMS}/made`],
  ['DELETE', CMS],
  ['POST', `${NS}/pods/p/exec?container=c&command=ls&stdout=true`, undefined],
  remove('validating', 'never'),
  mutating('deleting', hook('deleting', 'label', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [rule(['DELETE'], '', ['configmaps'])] })),
  ['DELETE', `${CMS}/made`],
  remove('mutating', 'deleting'),
  // workloads: defaults after a change, scale, status
  mutating('workloads',
    hook('sidecar', 'container', { objectSelector: { matchLabels: { inject: 'yes' } }, rules: [rule(['CREATE'], 'apps', ['deployments'])] }),
    hook('scaled', 'replicas', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [rule(['UPDATE'], 'apps', ['deployments/scale'])] })),
  validating('workloads',
    hook('watching', 'allow', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [rule(['*'], 'apps', ['deployments', 'deployments/*'])] })),
  ['POST', '/apis/apps/v1/namespaces/wh-rec/deployments', deployment('d', { inject: 'yes' })],
  ['PUT', '/apis/apps/v1/namespaces/wh-rec/deployments/d/scale', { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'd', namespace: 'wh-rec' }, spec: { replicas: 2 } }],
  ['PATCH', '/apis/apps/v1/namespaces/wh-rec/deployments/d/scale', { spec: { replicas: 5 } }, merge],
  ['PATCH', '/apis/apps/v1/namespaces/wh-rec/deployments/d/status', { status: { replicas: 1 } }, merge],
  ['DELETE', '/apis/apps/v1/namespaces/wh-rec/deployments/d', { propagationPolicy: 'Background' }],
  remove('mutating', 'workloads'),
  remove('validating', 'workloads'),
  // equivalent versions
  ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd],
  mutating('versions',
    hook('w-second', 'size', { rules: [widgetRule(['CREATE', 'UPDATE'], 'v2')] }),
    hook('w-bad', 'size-bad', { rules: [widgetRule(['CREATE'], 'v1')] }),
    hook('w-unknown', 'spec-unknown', { rules: [widgetRule(['CREATE'], 'v1')] }),
    hook('w-status', 'status', { objectSelector: { matchLabels: { case: 'w-second' } }, rules: [widgetRule(['UPDATE'], 'v2', ['widgets/status'])] })),
  validating('versions',
    hook('w-exact', 'deny', { matchPolicy: 'Exact', rules: [widgetRule(['CREATE'], 'v2')] }),
    hook('w-both', 'allow', { rules: [widgetRule(['CREATE'], 'v2'), widgetRule(['CREATE'], 'v1')] }),
    hook('w-condition', 'allow', { rules: [widgetRule(['CREATE'], 'v2')], ...conditions('object.apiVersion == "wh.example.com/v2"', 'object.spec.size == 1') }),
    hook('w-scale', 'allow', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [widgetRule(['*'], 'v2', ['widgets/scale'])] }),
    hook('scalers', 'allow', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'red' } }, rules: [{ ...rule(['*'], 'autoscaling', ['horizontalpodautoscalers']), apiVersions: ['v1'] }] })),
  ['POST', WIDGETS('v1'), widget('v1', 'w-second')],
  ['POST', WIDGETS('v2'), widget('v2', 'w-bad')],
  ['POST', WIDGETS('v1'), widget('v1', 'w-unknown')],
  ['POST', WIDGETS('v1'), widget('v1', 'w-exact')],
  ['POST', WIDGETS('v1'), widget('v1', 'w-both')],
  ['POST', WIDGETS('v1'), widget('v1', 'w-condition')],
  ['PATCH', `${WIDGETS('v1')}/w-second`, { spec: { size: 2 } }, merge],
  ['PATCH', `${WIDGETS('v1')}/w-second/status`, { status: { replicas: 1 } }, merge],
  ['PATCH', `${WIDGETS('v1')}/w-both/scale`, { spec: { replicas: 4 } }, merge],
  ['POST', '/apis/autoscaling/v2/namespaces/wh-rec/horizontalpodautoscalers', hpa('v2')],
  ['POST', '/apis/autoscaling/v1/namespaces/wh-rec/horizontalpodautoscalers', hpa('v1')],
  remove('mutating', 'versions'),
  remove('validating', 'versions'),
  // resources that are never sent to webhooks, and one that is
  validating('everything', hook('everything', 'deny', { objectSelector: {}, namespaceSelector: {}, rules: [rule(['*'], '*', ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations', 'selfsubjectreviews', 'validatingadmissionpolicies', 'clusterroles'], { apiVersions: ['*'] })] })),
  mutating('unseen', hook('unseen', 'allow')),
  ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }],
  ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'seen' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
  remove('mutating', 'unseen'),
  remove('validating', 'everything'),
  // namespaces
  validating('spaces', hook('spaces', 'allow', { objectSelector: {}, namespaceSelector: { matchLabels: { team: 'blue' } }, rules: [rule(['*'], '', ['namespaces'])] })),
  ['POST', '/api/v1/namespaces', { metadata: { name: 'wh-blue', labels: { team: 'blue' } } }],
  ['POST', '/api/v1/namespaces', { metadata: { name: 'wh-green', labels: { team: 'green' } } }],
  ['PATCH', '/api/v1/namespaces/wh-green', { metadata: { labels: { team: 'blue' } } }, merge],
  ['DELETE', '/api/v1/namespaces/wh-green'],
  remove('validating', 'spaces'),
];
