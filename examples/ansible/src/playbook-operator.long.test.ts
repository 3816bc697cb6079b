import { spawnSync } from 'node:child_process';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { applyManifests } from '@kubewright/controlplane';
import { TestEnvironment, TestOperator, toBeAbsent, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { playbookController } from './playbook-operator.ts';
import { readWatches } from './watches.ts';

// A playbook takes seconds, and much longer on a busy machine.
vi.setConfig({ testTimeout: 240_000 });
const waitOptions = { timeoutMs: 220_000 };
const namespace = 'default';
const key = { namespace, name: 'hello' };
const file = (name: string) => new URL(`../${name}`, import.meta.url).pathname;
const [greeting] = readWatches(file('watches.yaml'));
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the program is missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing = maySkip && spawnSync('ansible-playbook', ['--version']).status !== 0;

describe.skipIf(isMissing)('playbookController (needs ansible-playbook: node scripts/fixtures/ansible.mjs)', () => {
  let environment: TestEnvironment;
  let operator: TestOperator;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: [file('crd.yaml')] });
    const { client } = environment;
    await applyManifests(client, { files: [file('greeting.yaml')], fieldManager: 'test' });
    operator = await TestOperator.start(client, { controllers: [playbookController(greeting!)] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const set = (spec: object) =>
    environment.client.resource(greeting!.for).patch(key, { type: 'merge', body: { spec } });
  /** Returns the true conditions of an object; `outdated` if the status describes an older generation. */
  const stateOf = (name: string) => async () => {
    const { metadata, status } = await environment.client.resource(greeting!.for).get({ namespace, name });
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
    if (conditions.some(({ observedGeneration }) => observedGeneration !== metadata.generation)) return 'outdated';
    return (
      conditions
        // Leaves out conditions that depend on the Deployment, because no kubelet makes it ready.
        .filter(({ type, status: is }) => is === 'True' && ['Successful', 'Failure'].includes(type))
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`.trim())
        .sort()
    );
  };
  const state = stateOf('hello');
  const done = ['Successful Successful Last reconciliation succeeded'];

  it('runs the playbook for each change, and prunes its objects', async () => {
    const { client } = environment;
    const owner = [{ kind: 'Greeting', name: 'hello', controller: true }];
    await operator.eventually(state, toMatch(done), waitOptions);
    const config = await client.resource(ConfigMap).get(key);
    expect(config).toMatchObject({
      metadata: { ownerReferences: owner },
      data: { message: 'Hello from a playbook' },
    });
    expect((await client.resource(Deployment).get(key)).spec?.replicas).toBe(2);

    // A template in a value is not expanded.
    await set({ message: '{{ 1 + 1 }}', withServers: false });
    await operator.eventually(state, toMatch(done), waitOptions);
    expect((await client.resource(ConfigMap).get(key)).data).toEqual({ message: '{{ 1 + 1 }}' });
    await operator.eventually(
      async () => (await client.resource(Deployment).list({ namespace })).items,
      toBeAbsent(),
      waitOptions,
    );
  });

  it('reports a failed task', async () => {
    const { apiVersion, kind } = await environment.client.resource(greeting!.for).get(key);
    const silent = { apiVersion, kind, metadata: { namespace, name: 'silent' }, spec: { message: '' } };
    await environment.client.resource(greeting!.for).create(silent);
    const failed = 'Failure Failed Check the message: the message is empty';
    await operator.eventually(stateOf('silent'), toMatch([failed]), waitOptions);
  });
});
