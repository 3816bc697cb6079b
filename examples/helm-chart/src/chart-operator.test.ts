import { spawnSync } from 'node:child_process';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { applyManifests } from '@kubewright/controlplane';
import { TestEnvironment, TestOperator, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { chartController } from './chart-operator.ts';
import { parseObjects } from './render-chart.ts';
import { type Release, readWatches } from './watches.ts';

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 60_000 });
const waitOptions = { timeoutMs: 50_000 };
const namespace = 'default';
const key = { namespace, name: 'hello' };
const file = (name: string) => new URL(`../${name}`, import.meta.url).pathname;
const [website] = readWatches(file('watches.yaml'));
// With KUBEWRIGHT_REQUIRE_ALL=1, the test fails if the program is missing.
const maySkip = process.env['KUBEWRIGHT_REQUIRE_ALL'] !== '1';
const isMissing = maySkip && spawnSync('helm', ['version']).status !== 0;

describe('readWatches', () => {
  it('describes kinds, and finds charts next to the file', () => {
    expect(website).toMatchObject({
      for: { group: 'charts.example.com', version: 'v1', kind: 'Website', plural: 'websites', scope: 'Namespaced' },
      chart: file('helm-charts/website'),
      owns: [{ kind: 'Deployment', plural: 'deployments' }, { kind: 'Service' }, { kind: 'ConfigMap' }],
    });
  });
});

describe('parseObjects', () => {
  it('skips templates that rendered nothing', () => {
    const output = '---\n# Source: a.yaml\nkind: A\n---\n# Source: b.yaml\n---\nkind: C\n';
    expect(parseObjects(output)).toEqual([{ kind: 'A' }, { kind: 'C' }]);
  });
});

describe.skipIf(isMissing)('chartController (needs helm on the PATH: node scripts/fixtures/helm.mjs)', () => {
  let environment: TestEnvironment;
  let operator: TestOperator;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: [file('crd.yaml')] });
    const { client } = environment;
    await applyManifests(client, { files: [file('website.yaml')], fieldManager: 'test' });
    operator = await TestOperator.start(client, { controllers: [chartController(website!)] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const set = (spec: object) => environment.client.resource(website!.for).patch(key, { type: 'merge', body: { spec } });
  const condition = async (type: string) => {
    const { status }: Release = await environment.client.resource(website!.for).get(key);
    const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
    return conditions.find((each) => each.type === type);
  };

  it('installs a chart, upgrades it, prunes it, and keeps it if the values are wrong', async () => {
    const { client } = environment;
    const replicas = async () => (await client.resource(Deployment).get(key)).spec?.replicas;
    const services = async () =>
      (await client.resource(Service).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await operator.eventually(() => condition('Deployed'), toMatch({ reason: 'InstallSuccessful' }), waitOptions);
    expect([await replicas(), await services()]).toEqual([2, ['hello', 'kubernetes']]);
    expect((await client.resource(ConfigMap).get(key)).data?.['index.html']).toContain('Hello from a chart');

    await set({ replicas: 3, service: { enabled: false } });
    await operator.eventually(() => condition('Deployed'), toMatch({ reason: 'UpgradeSuccessful' }), waitOptions);
    await operator.eventually(services, toMatch(['kubernetes']), waitOptions);
    expect(await replicas()).toBe(3);

    await set({ replicas: 'many' });
    const failure = { reason: 'UpgradeError', message: expect.stringContaining('replicas') };
    await operator.eventually(() => condition('ReleaseFailed'), toMatch(failure), waitOptions);
    expect(await replicas()).toBe(3);
    // The last release stays deployed.
    expect(await condition('Deployed')).toMatchObject({ status: 'True', reason: 'UpgradeSuccessful' });

    await set({ replicas: 1 });
    await operator.eventually(() => condition('ReleaseFailed'), toMatch(undefined), waitOptions);
    await operator.eventually(replicas, toMatch(1), waitOptions);
    expect(await condition('Deployed')).toMatchObject({ status: 'True', reason: 'UpgradeSuccessful' });

    await client.resource(website!.for).delete(key);
    await operator.eventually(
      () => client.resource(Deployment).list({ namespace }),
      toMatch({ items: [] }),
      waitOptions,
    );
  });
});
