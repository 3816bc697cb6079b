import { first, get, namespaceSteps, patch, post } from './steps.mjs';

const namespace = 'bad-access';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
const any = (verbs, resources, groups = ['']) => [{ apiGroups: groups, resources, verbs }];
const role = (name, rules, more = {}) => ({ metadata: { name }, rules, ...more });
const binding = (name, to, user) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: to },
  subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
});
const roles = `${rbac}/clusterroles`;
const bindings = `${rbac}/clusterrolebindings`;
const localRoles = `${rbac}/namespaces/${namespace}/roles`;
const localBindings = `${rbac}/namespaces/${namespace}/rolebindings`;
const everything = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }];
const rbacWriter = any(
  ['create', 'get', 'list', 'patch', 'update'],
  ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  ['rbac.authorization.k8s.io'],
);
const bearer = (token) => ({ authorization: `Bearer ${token}` });
const as = (name, path, headers) => get(name, path, { as: 'anonymous', headers });
const mapPods = any(['get', 'list'], ['pods']);

/** Requests that authorization denies (rows 18 and 19), and attempts at privilege escalation. */
export const access = {
  namespace,
  cases: [
    ...namespaceSteps(namespace),
    ...['/livez', '/readyz', '/healthz', '/livez/ping', '/version', '/version/'].map((path) =>
      get(`anonymous: ${path}`, path, { as: 'anonymous' }),
    ),
    ...[
      '/',
      '/api',
      '/apis',
      '/api/v1',
      '/apis/apps/v1',
      '/openapi/v3',
      '/openapi/v2',
      '/metrics',
      '/logs',
      '/debug/pprof',
      '/nothing',
      maps,
      '/api/v1/namespaces',
      '/api/v1/secrets',
      `${maps}/a`,
      '/api/v1/nodes?watch=1',
      `/api/v1/namespaces/${namespace}/pods/a/log`,
      '/.well-known/openid-configuration',
      '/openid/v1/jwks',
    ].map((path) => get(`anonymous: ${path}`, path, { as: 'anonymous' })),
    post('anonymous: a create', maps, { metadata: { name: 'a' } }, { as: 'anonymous' }),
    post(
      'anonymous: a self review',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
      { as: 'anonymous' },
    ),
    post('anonymous: broken JSON', maps, '{', { as: 'anonymous' }),
    get('anonymous: impersonation', maps, {
      as: 'anonymous',
      headers: { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' },
    }),
    as('a wrong token', '/api', bearer('wrong')),
    as('a wrong token where anyone may', '/livez', bearer('wrong')),
    as('an empty token', '/api', bearer('')),
    as('a token of 10 kB', '/api', bearer('x'.repeat(10_000))),
    as('a token with blanks', '/api', bearer('a b c')),
    as('another scheme', '/api', { authorization: 'Basic YWRtaW46YWRtaW4=' }),
    as('a header of nonsense', '/api', { authorization: ';;;' }),
    as(
      'a token without a signature',
      '/api',
      bearer(
        `${jwtPart({ alg: 'none' })}.${jwtPart({ sub: 'system:admin', iss: 'https://kubernetes.default.svc.cluster.local' })}.`,
      ),
    ),
    as(
      'a token signed with another key',
      '/api',
      bearer(
        `${jwtPart({ alg: 'RS256', kid: 'x' })}.${jwtPart({ sub: 'system:serviceaccount:kube-system:x', iss: 'https://kubernetes.default.svc.cluster.local', aud: ['https://kubernetes.default.svc.cluster.local'], exp: 99999999999 })}.${'A'.repeat(342)}`,
      ),
    ),
    as('a token that is not JSON', '/api', bearer('a.b.c')),
    as(
      'a token whose header is __proto__',
      '/api',
      bearer(`${jwtPart(JSON.parse('{"__proto__":{"alg":"none"}}'))}.${jwtPart({})}.x`),
    ),
    as('a token in the query', `/api?access_token=x&token=y`, {}),
    first(
      post(
        'a short token',
        `${accounts}/default/token`,
        { spec: { expirationSeconds: 600 } },
        { keep: ({ status }) => ({ token: status.token }) },
      ),
    ),
    get('the default account: discovery', '/api/v1', {
      as: 'anonymous',
      headers: ({ token }) => bearer(token),
      shows: ['kind'],
    }),
    post(
      'the default account: who am I',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      {},
      { as: 'anonymous', headers: ({ token }) => bearer(token), shows: ['status', 'userInfo', 'username'] },
    ),
    post(
      'the default account: what may I',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace } } },
      { as: 'anonymous', headers: ({ token }) => bearer(token), shows: ['status', 'allowed'] },
    ),
    ...[
      maps,
      '/api/v1/secrets',
      '/api/v1/namespaces',
      `/api/v1/namespaces/${namespace}`,
      '/api/v1/nodes',
      accounts,
      '/metrics',
      `${rbac}/clusterroles`,
    ].map((path) =>
      get(`the default account: ${path}`, path, { as: 'anonymous', headers: ({ token }) => bearer(token) }),
    ),
    post(
      'the default account: a pod',
      `/api/v1/namespaces/${namespace}/pods`,
      {},
      { as: 'anonymous', headers: ({ token }) => bearer(token) },
    ),
    post(
      'the default account: a token',
      `${accounts}/default/token`,
      { spec: {} },
      { as: 'anonymous', headers: ({ token }) => bearer(token) },
    ),
    post(
      'the default account: a review of another token',
      '/apis/authentication.k8s.io/v1/tokenreviews',
      { spec: { token: 'x' } },
      { as: 'anonymous', headers: ({ token }) => bearer(token) },
    ),
    get('the default account: impersonation', maps, {
      as: 'anonymous',
      headers: ({ token }) => ({ ...bearer(token), 'impersonate-user': 'system:admin' }),
    }),
    as('a mangled token', '/api', ({ token }) => bearer(`${token.slice(0, -8)}AAAAAAAA`)),
    as('a token with another payload', '/api', ({ token }) => bearer(forged(token))),
    post('a token for too short a time', `${accounts}/default/token`, { spec: { expirationSeconds: 5 } }),
    post('a token for too long a time', `${accounts}/default/token`, { spec: { expirationSeconds: 2 ** 33 } }),
    post('a token bound to a kind that cannot be', `${accounts}/default/token`, {
      spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' } },
    }),
    post('a token bound to a missing object', `${accounts}/default/token`, {
      spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nobody' } },
    }),
    post('a token of a missing account', `${accounts}/nobody/token`, { spec: {} }),
    first(
      post(
        'a token for another audience',
        `${accounts}/default/token`,
        { spec: { audiences: ['somebody-else'] } },
        { keep: ({ status }) => ({ foreign: status.token }) },
      ),
    ),
    as('a token for another audience', '/api', ({ foreign }) => bearer(foreign)),
    first(post('an account', accounts, { metadata: { name: 'gone' } })),
    first(
      post('its token', `${accounts}/gone/token`, { spec: {} }, { keep: ({ status }) => ({ gone: status.token }) }),
    ),
    first({ name: 'the account goes', method: 'DELETE', path: `${accounts}/gone` }),
    as('a token of a deleted account', '/api', ({ gone }) => bearer(gone)),
    first(post('the account again', accounts, { metadata: { name: 'gone' } })),
    as('a token of an account made again', '/api', ({ gone }) => bearer(gone)),
    first(
      post('a pod', `/api/v1/namespaces/${namespace}/pods`, {
        metadata: { name: 'short' },
        spec: { schedulerName: 'nobody', containers: [{ name: 'c', image: 'i' }] },
      }),
    ),
    first(
      post(
        'its token',
        `${accounts}/default/token`,
        { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'short' } } },
        { keep: ({ status }) => ({ pod: status.token }) },
      ),
    ),
    get("a pod's token", '/api', { as: 'anonymous', headers: ({ pod }) => bearer(pod), shows: ['kind'] }),
    first({
      name: 'the pod goes',
      method: 'DELETE',
      path: `/api/v1/namespaces/${namespace}/pods/short?gracePeriodSeconds=0`,
    }),
    as("a deleted pod's token", '/api', ({ pod }) => bearer(pod)),
    get('a user without rights', maps, { as: 'alice' }),
    get('a user without rights, cluster-wide', '/api/v1/configmaps', { as: 'alice' }),
    get('a user without rights, one object', `${maps}/a`, { as: 'alice' }),
    get('a user without rights, a subresource', `/api/v1/namespaces/${namespace}/pods/a/log`, { as: 'alice' }),
    get('a user without rights, a group', `/apis/apps/v1/namespaces/${namespace}/deployments`, { as: 'alice' }),
    get('a user without rights, a path', '/metrics', { as: 'alice' }),
    get('a user without rights, an unknown resource', '/apis/nothing.example.com/v1/things', { as: 'alice' }),
    get('a user with a line feed in the name', maps, { as: 'al%0aice' }),
    get('impersonation of groups alone', maps, { headers: { 'impersonate-group': 'x' } }),
    get('impersonation of a uid alone', maps, { headers: { 'impersonate-uid': 'x' } }),
    first(
      post(
        'a role for impersonating bob',
        roles,
        role('bad-impersonator', [
          { apiGroups: [''], resources: ['users'], verbs: ['impersonate'], resourceNames: ['bob'] },
        ]),
      ),
    ),
    first(
      post(
        'its binding',
        bindings,
        binding('bad-impersonator', 'bad-impersonator', `system:serviceaccount:${namespace}:default`),
      ),
    ),
    get('impersonation that is allowed', maps, {
      as: 'anonymous',
      headers: ({ token }) => ({ ...bearer(token), 'impersonate-user': 'bob' }),
    }),
    get('impersonation of another', maps, {
      as: 'anonymous',
      headers: ({ token }) => ({ ...bearer(token), 'impersonate-user': 'carol' }),
    }),
    get('impersonation with a group', maps, {
      as: 'anonymous',
      headers: ({ token }) => ({ ...bearer(token), 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }),
    }),
    get('impersonation with an extra', maps, {
      as: 'anonymous',
      headers: ({ token }) => ({ ...bearer(token), 'impersonate-user': 'bob', 'impersonate-extra-scopes': 'x' }),
    }),
    first(post('a role for writing roles', roles, role('bad-role-writer', rbacWriter))),
    first(post('its binding', bindings, binding('bad-role-writer', 'bad-role-writer', 'mallory'))),
    post('escalation by a cluster role', roles, role('bad-all', everything), { as: 'mallory' }),
    post('escalation by a role', localRoles, role('bad-all', everything), { as: 'mallory' }),
    post('escalation by one verb', localRoles, role('bad-pods', mapPods), { as: 'mallory' }),
    post('escalation by a path', roles, role('bad-path', [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]), {
      as: 'mallory',
    }),
    post(
      'escalation by the escalate verb',
      roles,
      role('bad-escalate', any(['escalate', 'bind'], ['clusterroles'], ['rbac.authorization.k8s.io'])),
      { as: 'mallory' },
    ),
    post(
      'a role that grants no more than the user has',
      localRoles,
      role('bad-fine', any(['get'], ['roles'], ['rbac.authorization.k8s.io'])),
      { as: 'mallory', shows: ['metadata', 'name'] },
    ),
    post('binding to cluster-admin', bindings, binding('bad-admin', 'cluster-admin', 'mallory'), { as: 'mallory' }),
    post('binding to cluster-admin in a namespace', localBindings, binding('bad-admin', 'cluster-admin', 'mallory'), {
      as: 'mallory',
    }),
    post('binding to a missing role', bindings, binding('bad-nothing', 'nobody-knows', 'mallory'), {
      as: 'mallory',
    }),
    post(
      'an aggregated role',
      roles,
      {
        metadata: { name: 'bad-aggregate' },
        aggregationRule: {
          clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } }],
        },
        rules: [],
      },
      { as: 'mallory' },
    ),
    post(
      'a role that aggregates to admin',
      roles,
      role('bad-to-admin', everything, {
        metadata: { name: 'bad-to-admin', labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
      }),
      { as: 'mallory' },
    ),
    first(post('a small role', localRoles, role('bad-small', []))),
    patch('a role that grows by a patch', `${localRoles}/bad-small`, {
      type: 'merge',
      body: { rules: everything },
      as: 'mallory',
    }),
    patch('a role that grows by an apply', `${localRoles}/bad-small?fieldManager=m`, {
      type: 'apply',
      body: {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'bad-small' },
        rules: everything,
      },
      as: 'mallory',
    }),
    patch('a binding to another role', `${bindings}/bad-role-writer`, {
      type: 'merge',
      body: { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' } },
    }),
    patch('another subject for cluster-admin', `${bindings}/cluster-admin`, {
      type: 'merge',
      body: { subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'mallory' }] },
      as: 'mallory',
    }),
    first(
      post(
        'a role with bind',
        roles,
        role('bad-binder', [
          ...any(['create', 'patch'], ['rolebindings'], ['rbac.authorization.k8s.io']),
          {
            apiGroups: ['rbac.authorization.k8s.io'],
            resources: ['clusterroles'],
            verbs: ['bind'],
            resourceNames: ['view'],
          },
        ]),
      ),
    ),
    first(post('its binding', bindings, binding('bad-binder', 'bad-binder', 'binder'))),
    post('binding a role that the user may bind', localBindings, binding('bad-view', 'view', 'binder'), {
      as: 'binder',
      shows: ['metadata', 'name'],
    }),
    post('binding a role that the user may not bind', localBindings, binding('bad-edit', 'edit', 'binder'), {
      as: 'binder',
    }),
    first(
      post(
        'a role with escalate',
        roles,
        role('bad-escalator', any(['create', 'escalate'], ['roles', 'clusterroles'], ['rbac.authorization.k8s.io'])),
      ),
    ),
    first(post('its binding', bindings, binding('bad-escalator', 'bad-escalator', 'escalator'))),
    post('escalation that is allowed', localRoles, role('bad-escalated', everything), {
      as: 'escalator',
      shows: ['metadata', 'name'],
    }),
    post('a role without verbs', roles, role('bad-verbs', [{ apiGroups: [''], resources: ['pods'] }])),
    post(
      'a role with a path in a namespace',
      localRoles,
      role('bad-local', [{ nonResourceURLs: ['/x'], verbs: ['get'] }]),
    ),
    post(
      'a role with paths and resources',
      roles,
      role('bad-both', [{ nonResourceURLs: ['/x'], apiGroups: [''], resources: ['pods'], verbs: ['get'] }]),
    ),
    post('a binding without a role', bindings, { metadata: { name: 'bad-roleless' }, subjects: [] }),
    post('a binding of another kind', bindings, {
      ...binding('bad-kind', 'x', 'y'),
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
    }),
    post('a subject of another kind', bindings, {
      ...binding('bad-subject', 'x', 'y'),
      subjects: [{ kind: 'Robot', name: 'r' }],
    }),
    post('a role called a/b', roles, role('a/b', [])),
  ],
};

function jwtPart(value) {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Returns a token with the same header and signature but claims that grant more. */
function forged(token) {
  const [header, claims, signature] = token.split('.');
  const better = {
    ...JSON.parse(Buffer.from(claims, 'base64url').toString()),
    sub: 'system:serviceaccount:kube-system:generic-garbage-collector',
  };
  return [header, jwtPart(better), signature].join('.');
}
