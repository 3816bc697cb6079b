import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const core = '/api/v1/namespaces/default';

interface Policy {
  readonly [field: string]: unknown;
  readonly resource?: string;
}

describe('ValidatingAdmissionPolicy', () => {
  let plane: PlaneUnderTest;
  beforeAll(async () => {
    plane = await PlaneUnderTest.start();
    await plane.send('POST', `${core}/configmaps`, {
      metadata: { name: 'limits', labels: { limits: 'small' } },
      data: { max: '3' },
    });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  /** Stores a policy for ConfigMaps whose names start with the policy's name, and a binding of the policy. */
  async function bind(name: string, spec: Policy, binding: object = {}): Promise<void> {
    const rule = {
      apiGroups: [''],
      apiVersions: ['v1'],
      resources: [spec.resource ?? 'configmaps'],
      operations: ['*'],
    };
    const { resource: _, ...rest } = spec;
    const mine = { name: 'mine', expression: `request.name.startsWith('${name}')` };
    const policy = {
      metadata: { name },
      spec: { matchConstraints: { resourceRules: [rule] }, matchConditions: [mine], ...rest },
    };
    const made = await plane.send('POST', policies, policy);
    expect(made.status, made.text).toBe(201);
    const bound = await plane.send('POST', policies.replace('policies', 'policybindings'), {
      metadata: { name: `${name}-binding` },
      spec: { policyName: name, validationActions: ['Deny'], ...binding },
    });
    expect(bound.status, bound.text).toBe(201);
  }

  /** Deletes a policy that would otherwise deny every later write. */
  const remove = (name: string) => plane.send('DELETE', `${policies}/${name}`);

  async function create(name: string, data: object = {}, more: object = {}) {
    const { status, warning, text } = await plane.send('POST', `${core}/configmaps`, {
      metadata: { name, ...more },
      data,
    });
    return { status, warning, object: JSON.parse(text) };
  }

  const denied = (policy: string, why: string) =>
    `ValidatingAdmissionPolicy '${policy}' with binding '${policy}-binding' denied request: ${why}`;

  it('rejects with the message, the reason and the code of the first failed rule', async () => {
    await bind('plain', {
      validations: [
        { expression: "!has(object.data) || !('a' in object.data)", message: 'no a' },
        { expression: "!has(object.data) || !('b' in object.data)", reason: 'Forbidden' },
      ],
    });
    const a = await create('plain-a', { a: '1', b: '1' });
    const text = denied('plain', 'no a');
    expect(a).toMatchObject({
      status: 422,
      object: { reason: 'Invalid', message: `configmaps "plain-a" is forbidden: ${text}` },
    });
    expect(a.object.details).toEqual({ name: 'plain-a', kind: 'configmaps', causes: [{ message: text }] });
    const b = await create('plain-b', { b: '1' });
    expect(b).toMatchObject({ status: 403, object: { reason: 'Forbidden' } });
    expect(b.object.message).toContain("failed expression: !has(object.data) || !('b' in object.data)");
    expect((await create('plain-c', { c: '1' })).status).toBe(201);
    expect((await create('other', { a: '1' })).status).toBe(201);
  });

  it('warns instead of rejecting, and does nothing if the only action is Audit', async () => {
    const validations = [{ expression: 'false', messageExpression: "'not ' + object.metadata.name" }];
    await bind('warned', { validations }, { validationActions: ['Warn'] });
    expect(await create('warned-a')).toMatchObject({
      status: 201,
      warning:
        "299 - \"Validation failed for ValidatingAdmissionPolicy 'warned' with binding 'warned-binding': not warned-a\"",
    });
    await bind('audited', { validations }, { validationActions: ['Audit'] });
    expect(await create('audited-a')).toMatchObject({ status: 201, warning: undefined });
  });

  it('evaluates variables once they are used, and explains their errors', async () => {
    await bind('composed', {
      variables: [
        { name: 'size', expression: 'object.data.size()' },
        { name: 'double', expression: 'variables.size * 2' },
        { name: 'broken', expression: 'object.data.missing' },
      ],
      validations: [
        { expression: 'variables.double <= 4', messageExpression: "'double is ' + string(variables.double)" },
        { expression: "variables.size < 2 || variables.broken == ''" },
      ],
    });
    expect((await create('composed-1', { a: '' })).status).toBe(201);
    expect((await create('composed-2', { a: '', b: '' })).object.message).toContain(
      denied(
        'composed',
        "expression 'variables.size < 2 || variables.broken == ''' resulted in error: composited variable \"broken\" fails to evaluate: no such key: missing",
      ),
    );
    expect((await create('composed-3', { a: '', b: '', c: '' })).object.message).toContain('double is 6');
  });

  it('evaluates no variable that an expression skips, and limits the cost of each one', async () => {
    const heavy = 'lists.range(2000).all(x, lists.range(2000).all(y, x + y >= 0))';
    await bind('heavy', {
      variables: [{ name: 'heavy', expression: heavy }],
      validations: [{ expression: "object.data.heavy == 'no' || variables.heavy" }],
    });
    expect((await create('heavy-1', { heavy: 'no' })).status).toBe(201);
    expect((await create('heavy-2', { heavy: 'yes' })).object.message).toContain(
      'composited variable "heavy" fails to evaluate: operation cancelled: actual cost limit exceeded',
    );
  });

  it('passes parameters by name or by selector', async () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [
        { expression: 'object.data.size() <= int(params.data.max)', messageExpression: "'at most ' + params.data.max" },
      ],
    };
    const data = { a: '', b: '', c: '', d: '' };
    await bind('named', spec, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    expect((await create('named-a', data)).object.message).toContain(denied('named', 'at most 3'));
    expect((await create('named-b', { a: '' })).status).toBe(201);
    const selector = { matchLabels: { limits: 'small' } };
    await bind('selected', spec, { paramRef: { selector, parameterNotFoundAction: 'Allow' } });
    expect((await create('selected-a', data)).object.message).toContain(denied('selected', 'at most 3'));
    await bind('allowed', spec, { paramRef: { name: 'none', parameterNotFoundAction: 'Allow' } });
    expect((await create('allowed-a', data)).status).toBe(201);
    await bind('missing', spec, { paramRef: { name: 'none', parameterNotFoundAction: 'Deny' } });
    expect((await create('missing-a', data)).object.message).toContain(
      denied(
        'missing',
        'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
      ),
    );
    await remove('missing');
  });

  it('fails closed, or open if the policy says so', async () => {
    const broken = { validations: [{ expression: "object.data.x == 'y'" }] };
    await bind('closed', broken);
    expect((await create('closed-a', { a: '' })).object.message).toContain(
      denied('closed', "expression 'object.data.x == 'y'' resulted in error: no such key: x"),
    );
    await bind('open', { ...broken, failurePolicy: 'Ignore' });
    expect((await create('open-a', { a: '' })).status).toBe(201);
    await bind('unknown', { ...broken, paramKind: { apiVersion: 'example.com/v1', kind: 'Limit' } });
    expect((await create('unknown-a', { x: 'y' })).object.message).toContain(
      "ValidatingAdmissionPolicy 'unknown' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
    );
    await remove('unknown');
  });

  it("provides the old object, the namespace and the user's permissions", async () => {
    await bind('context', {
      validations: [
        { expression: "request.operation == 'CREATE' || object.data == oldObject.data", message: 'changed' },
        { expression: "namespaceObject.metadata.name == 'default'" },
        { expression: "authorizer.group('').resource('configmaps').namespace('default').check('create').allowed()" },
      ],
    });
    expect((await create('context-a', { a: '1' })).status).toBe(201);
    const merge = { 'content-type': 'application/merge-patch+json' };
    const path = `${core}/configmaps/context-a`;
    const changed = await plane.send('PATCH', path, { data: { a: '2' } }, merge);
    expect(JSON.parse(changed.text).message).toContain(denied('context', 'changed'));
    expect((await plane.send('PATCH', path, { metadata: { labels: { a: 'b' } } }, merge)).status).toBe(200);
  });

  it('limits the cost of a policy', async () => {
    const data = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, '']));
    const expression = 'object.data.all(a, object.data.all(b, object.data.all(c, a != b || b != c || true)))';
    await bind('costly', { validations: [{ expression }] });
    expect((await create('costly-a', data)).object.message).toContain(
      'operation cancelled: actual cost limit exceeded',
    );
  });

  it('keeps a denial whose message exceeds the budget', async () => {
    const data = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`k${index}`, '']));
    const all = 'object.data.all(a, object.data.all(b, object.data.all(c, a != b || b != c || true)))';
    const costly = { expression: 'false', messageExpression: `${all} ? 'a' : 'b'` };
    const validations = [...Array.from({ length: 12 }, () => costly), { expression: '1 > 2', message: 'last' }];
    await bind('wordy', { validations, failurePolicy: 'Ignore' });
    expect((await create('wordy-a', data)).object.message).toContain(denied('wordy', 'failed expression: false'));
  });

  it('applies to webhook configurations, but not to policies and reviews', async () => {
    const anything = { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'] };
    const groups = ['admissionregistration.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io'];
    await bind('guard', {
      matchConstraints: { resourceRules: [{ ...anything, apiGroups: groups }] },
      matchConditions: [],
      validations: [{ expression: 'false' }],
    });
    const hooks = policies.replace('admissionpolicies', 'webhookconfigurations');
    const refused = await plane.send('POST', hooks, { metadata: { name: 'hooks' }, webhooks: [] });
    expect(JSON.parse(refused.text).message).toContain(denied('guard', 'failed expression: false'));
    const attributes = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } };
    const reviews = [
      ['authentication.k8s.io/v1/selfsubjectreviews', {}],
      ['authentication.k8s.io/v1/tokenreviews', { spec: { token: 't' } }],
      ['authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: attributes }],
      ['authorization.k8s.io/v1/subjectaccessreviews', { spec: { ...attributes, user: 'a' } }],
      ['authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews', { spec: { ...attributes, user: 'a' } }],
      ['authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }],
    ] as const;
    for (const [path, review] of reviews) {
      const made = await plane.send('POST', `/apis/${path}`, review);
      expect(made.status, made.text).toBe(201);
    }
    expect((await remove('guard')).status).toBe(200);
    expect((await plane.send('POST', hooks, { metadata: { name: 'hooks' }, webhooks: [] })).status).toBe(201);
  });

  it('follows changes of policies and bindings', async () => {
    await bind('removed', { validations: [{ expression: 'false' }] });
    expect((await create('removed-a')).status).toBe(422);
    await remove('removed');
    expect((await create('removed-a')).status).toBe(201);
  });

  it('also respects the resources, names and selectors of the binding', async () => {
    const named = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] };
    await bind(
      'narrow',
      { validations: [{ expression: 'false' }] },
      {
        matchResources: {
          resourceRules: [{ ...named, resourceNames: ['narrow-a'] }],
          excludeResourceRules: [{ ...named, resourceNames: ['narrow-c'] }],
        },
      },
    );
    expect((await create('narrow-a')).status).toBe(422);
    expect((await create('narrow-b')).status).toBe(201);
    await bind(
      'labeled',
      { validations: [{ expression: 'false' }] },
      {
        matchResources: { objectSelector: { matchLabels: { checked: 'yes' } } },
      },
    );
    expect((await create('labeled-a', {}, { labels: { checked: 'yes' } })).status).toBe(422);
    expect((await create('labeled-b')).status).toBe(201);
  });
});
