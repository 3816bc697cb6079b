import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../../kube-apiserver/testdata/test-server.ts';

const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const ingresses = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
const scalers = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const templates = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates';

/** The expected responses are those of kube-apiserver 1.36.3. */
describe('empty lists and maps that a client sends', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start(withBuiltinKinds);
  });
  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  const patched = async (path: string, patch: object) => (await server.patch(path, 'merge', patch)).json;

  it('are stored as absent, and no manager owns them', async () => {
    const { json } = await server.post(policies, {
      metadata: { name: 'empty', labels: {}, finalizers: [] },
      spec: { podSelector: { matchLabels: {} }, ingress: [] },
    });
    expect(json.metadata).not.toHaveProperty('labels');
    expect(json.metadata).not.toHaveProperty('finalizers');
    expect(json.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress'] });
    expect(json.metadata.managedFields[0].fieldsV1).toEqual({ 'f:spec': { 'f:policyTypes': {} } });
  });

  it('increase the generation of the kinds that upstream compares with reflect.DeepEqual', async () => {
    await server.post(policies, { metadata: { name: 'generation' }, spec: { podSelector: {} } });
    const path = `${policies}/generation`;
    expect((await patched(path, { metadata: { labels: { a: 'b' } } })).metadata.generation).toBe(1);
    const changed = await patched(path, { spec: { egress: [] } });
    expect(changed).toMatchObject({ metadata: { generation: 2 }, spec: { podSelector: {}, policyTypes: ['Ingress'] } });
    expect((await patched(path, { spec: { podSelector: { matchLabels: {} } } })).metadata.generation).toBe(3);
    await server.post(hooks, { metadata: { name: 'generation' } });
    expect((await patched(`${hooks}/generation`, { webhooks: [] })).metadata.generation).toBe(2);
  });

  it('do not increase the generation of other kinds', async () => {
    const backend = { service: { name: 'a', port: { number: 80 } } };
    await server.post(ingresses, { metadata: { name: 'generation' }, spec: { defaultBackend: backend } });
    expect((await patched(`${ingresses}/generation`, { spec: { tls: [] } })).metadata.generation).toBe(1);
  });

  it('differ from absent ones in defaults, rules and messages', async () => {
    await server.post(ranges, { metadata: { name: 'extra' }, spec: { cidrs: ['10.200.0.0/24'] } });
    const message = async (cidrs: unknown) => (await patched(`${ranges}/extra`, { spec: { cidrs } })).message;
    expect(await message([])).toContain('spec.cidrs: Invalid value: []: field is immutable');
    expect(await message(null)).toContain('spec.cidrs: Invalid value: null: field is immutable');
    const scaler = (rules: object) => ({
      metadata: { name: 'a' },
      spec: {
        scaleTargetRef: { apiVersion: 'a.com/v1', kind: 'A', name: 'a' },
        maxReplicas: 1,
        behavior: { scaleUp: rules },
      },
    });
    expect((await server.post(scalers, scaler({ policies: [] }))).json.message).toContain(
      'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy',
    );
    expect((await server.post(scalers, scaler({}))).json.spec.behavior.scaleUp.policies).toHaveLength(2);
    const template = { metadata: { name: 'a' }, spec: { metadata: { finalizers: [], labels: {} }, spec: {} } };
    expect((await server.post(templates, template)).json.message).toContain(
      'spec.metadata.finalizers: Forbidden: cannot be set',
    );
  });
});
