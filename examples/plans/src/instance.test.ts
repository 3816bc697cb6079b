import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Namespace, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { applyManifests } from '@kubewright/controlplane';
import {
  eventually,
  FakeInfrastructure,
  Faults,
  reconcileOnce,
  TestEnvironment,
  TestOperator,
  toMatch,
} from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Instance } from './api/v1/instance.ts';
import { OperatorVersion } from './api/v1/operator-version.ts';
import { instances } from './instance.ts';

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 120_000 });
const waitOptions = { timeoutMs: 30_000 };
const namespace = 'default';
const instance = instances();
const file = (path: string) => new URL(`../config/${path}`, import.meta.url).pathname;
const crds = ['instances', 'operatorversions'].map((name) => file(`crd/bases/plans.example.com_${name}.yaml`));

describe('plans', () => {
  let environment: TestEnvironment;
  let infrastructure: FakeInfrastructure;
  /** The spec in the manifest. Tests change the stored spec. */
  let web: OperatorVersion['spec'];
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: crds, components: FakeInfrastructure.components });
    infrastructure = await FakeInfrastructure.start(environment);
    const files = [file('samples/web-operator.yaml'), file('samples/shop.yaml')];
    await applyManifests(environment.client, { files, fieldManager: 'test' });
    web = (await environment.client.resource(OperatorVersion).get({ namespace, name: 'web' })).spec;
  });
  afterAll(async () => {
    await infrastructure?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const shop = { namespace, name: 'shop' };
  const status = async () => (await environment.client.resource(Instance).get(shop)).status;
  const steps = async () =>
    (await status())?.phases?.flatMap((phase) => phase.steps.map(({ name, progress }) => `${name} ${progress}`));
  /** Lets the pods of the Job succeed, and the pods of the Deployment become ready. */
  const runPods = async (space = namespace) => {
    const { items } = await environment.client.resource(Pod).list({ namespace: space });
    for (const pod of items.filter(({ status: is }) => is?.phase === 'Pending')) {
      await (pod.metadata.labels?.['batch.kubernetes.io/job-name']
        ? infrastructure.succeed(pod)
        : infrastructure.makeReady(pod));
    }
  };

  it('keeps no state in memory, runs the plan of a changed parameter, another Job per run, and prunes', async () => {
    const { client } = environment;
    // Each reconcile is a new process, which has no state.
    await reconcileOnce(instance, { client, object: shop });
    expect(await status()).toMatchObject({ run: 1, plan: 'deploy', progress: 'InProgress' });
    expect(await steps()).toEqual(['config Complete', 'migrate InProgress', 'server Pending', 'service Pending']);
    await infrastructure.complete({ namespace, name: 'web-migrate-1' });
    const { result } = await reconcileOnce(instance, { client, object: shop });
    expect(await steps()).toEqual(['config Complete', 'migrate Complete', 'server Pending', 'service Pending']);
    expect(result).toEqual({ requeueAfterMs: 0 });
    await reconcileOnce(instance, { client, object: shop });
    expect(await steps()).toEqual(['config Complete', 'migrate Complete', 'server InProgress', 'service Pending']);
    // A complete step does not run again.
    await client.resource(Job).delete({ namespace, name: 'web-migrate-1' }, { propagationPolicy: 'Background' });
    const { writes } = await reconcileOnce(instance, { client, object: shop });
    expect(writes.filter(({ kind }) => kind !== 'Instance')).toEqual([]);

    await using operator = await TestOperator.start(client, { controllers: [instance] });
    const settled = async () => {
      await runPods();
      const { run, plan, progress } = (await status()) ?? {};
      return `${run} ${plan} ${progress}`;
    };
    await operator.eventually(settled, toMatch('1 deploy Complete'), waitOptions);
    expect((await client.resource(Service).get({ namespace, name: 'web' })).spec?.ports).toHaveLength(1);

    const set = (parameters: object) =>
      client.resource(Instance).patch(shop, { type: 'merge', body: { spec: { parameters } } });
    await set({ REPLICAS: '3' });
    await operator.eventually(settled, toMatch('2 scale Complete'), waitOptions);
    expect((await client.resource(Deployment).get({ namespace, name: 'web' })).spec?.replicas).toBe(3);
    await set({ MESSAGE: 'hello again' });
    await operator.eventually(settled, toMatch('3 deploy Complete'), waitOptions);
    const jobs = async () =>
      (await client.resource(Job).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await operator.eventually(jobs, toMatch(['web-migrate-3']), waitOptions);

    // The next version of the operator has no service.
    const web = { namespace, name: 'web' };
    const { spec } = await client.resource(OperatorVersion).get(web);
    const plans = spec.plans.map((plan) => ({
      ...plan,
      phases: plan.phases.map((phase) => ({ ...phase, steps: phase.steps.filter(({ name }) => name !== 'service') })),
    }));
    await client.resource(OperatorVersion).patch(web, { type: 'merge', body: { spec: { plans } } });
    await set({ MESSAGE: 'goodbye' });
    await operator.eventually(settled, toMatch('4 deploy Complete'), waitOptions);
    const services = async () =>
      (await client.resource(Service).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await operator.eventually(services, toMatch(['kubernetes']), waitOptions);
    expect((await client.resource(Deployment).get(web)).spec?.replicas).toBe(3);
  });

  it.each([
    ['an unknown operator', { operatorVersion: 'none' }, 'OperatorVersion none does not exist'],
    [
      'a wrong value',
      { operatorVersion: 'web', parameters: { MESSAGE: 'hi', REPLICAS: 'many' } },
      'the parameter REPLICAS is not a valid integer: "many"',
    ],
    ['a missing parameter', { operatorVersion: 'web' }, 'the parameter MESSAGE is required'],
  ])('reports %s', async (title, spec, message) => {
    const name = title.replaceAll(' ', '-');
    const broken = Instance({ metadata: { name, namespace }, spec });
    const { object } = await reconcileOnce(instance, { client: environment.client, object: broken });
    expect(object?.status).toMatchObject({ conditions: [{ type: 'Ready', reason: 'Blocked', message }] });
  });

  it('runs an instance as soon as its OperatorVersion exists', async () => {
    const { client } = environment;
    await using operator = await TestOperator.start(client, { controllers: [instances()] });
    const early = Instance({ metadata: { name: 'early', namespace }, spec: { operatorVersion: 'late' } });
    await client.resource(Instance).create(early);
    const read = async () => (await client.resource(Instance).get({ namespace, name: 'early' })).status;
    const blocked = { conditions: [{ reason: 'Blocked', message: 'OperatorVersion late does not exist' }] };
    await operator.eventually(read, toMatch(blocked), waitOptions);
    const spec = { plans: [{ name: 'deploy', phases: [] }] };
    await client.resource(OperatorVersion).create(OperatorVersion({ metadata: { name: 'late', namespace }, spec }));
    await operator.eventually(read, toMatch({ run: 1, progress: 'Complete' }), waitOptions);
  });

  it('starts no run, and writes nothing again, if a manifest is invalid', async () => {
    const { client } = environment;
    const metadata = { name: 'typo', namespace };
    const resources = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typo' }, data: { text: '{{TYPO}}' } }];
    const plans = [{ name: 'deploy', phases: [{ name: 'all', steps: [{ name: 'config', resources }] }] }];
    await client.resource(OperatorVersion).create(OperatorVersion({ metadata, spec: { plans } }));
    await client.resource(Instance).create(Instance({ metadata, spec: { operatorVersion: 'typo' } }));
    await reconcileOnce(instance, { client, object: metadata });
    const { status } = await client.resource(Instance).get(metadata);
    const message = 'a manifest uses the unknown parameter TYPO';
    expect(status).toMatchObject({ conditions: [{ reason: 'Blocked', message }] });
    expect(status?.run).toBeUndefined();
    expect((await reconcileOnce(instance, { client, object: metadata })).writes).toEqual([]);
  });

  it('runs another plan before that of a parameter which the next version of the operator adds', async () => {
    const { client } = environment;
    const metadata = { name: 'growing', namespace };
    const specOf = (data: object, added: OperatorVersion['spec']['parameters'] = []) => {
      const resources = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'growing' }, data }];
      const phases = [{ name: 'all', steps: [{ name: 'config', resources }] }];
      const size = { name: 'SIZE', default: '1', trigger: 'scale' };
      return { parameters: [size, ...added], plans: ['deploy', 'scale'].map((name) => ({ name, phases })) };
    };
    const versions = client.resource(OperatorVersion);
    await versions.create(OperatorVersion({ metadata, spec: specOf({ size: '{{SIZE}}' }) }));
    await client.resource(Instance).create(Instance({ metadata, spec: { operatorVersion: 'growing' } }));
    const reconcile = async () => {
      await reconcileOnce(instance, { client, object: metadata });
      return (await client.resource(Instance).get(metadata)).status;
    };
    expect(await reconcile()).toMatchObject({ run: 1, plan: 'deploy', progress: 'Complete' });
    await client.resource(Instance).patch(metadata, { type: 'merge', body: { spec: { parameters: { SIZE: '2' } } } });
    const spec = specOf({ size: '{{SIZE}}', color: '{{COLOR}}' }, [{ name: 'COLOR', default: 'red' }]);
    await versions.patch(metadata, { type: 'merge', body: { spec } });
    expect(await reconcile()).toMatchObject({ run: 2, plan: 'scale', progress: 'Complete' });
    expect(await reconcile()).toMatchObject({ run: 3, plan: 'deploy', progress: 'Complete' });
    expect((await client.resource(ConfigMap).get(metadata)).data).toEqual({ size: '2', color: 'red' });
  });

  it.each([
    ['before', {}],
    ['after', { lost: true }],
  ])('continues the same run after a crash %s each write', async (when, options) => {
    const { client } = environment;
    const space = `crash-${when}`;
    await client.resource(Namespace).create(Namespace({ metadata: { name: space } }));
    await client
      .resource(OperatorVersion)
      .create(OperatorVersion({ metadata: { name: 'web', namespace: space }, spec: web }));
    const parameters = { MESSAGE: 'hello' };
    const metadata = { name: 'shop', namespace: space };
    await client.resource(Instance).create(Instance({ metadata, spec: { operatorVersion: 'web', parameters } }));

    const apply = (kind: string) => ({ verb: 'apply', kind }) as const;
    const status = { kind: 'Instance', subresource: 'status' };
    // In the order of the writes: the first phase is parallel, and a step's status is written after its objects.
    const [config, job, server, service] = ['ConfigMap', 'Job', 'Deployment', 'Service'].map(apply);
    const crashes = [status, config, job, status, server, status, service, status];
    const read = async () => (await client.resource(Instance).get(metadata)).status;
    const jobs = new Set<string>();
    const attempt = async () => {
      // The client retries lost calls. All of them fail, because the process is gone.
      const faults = new Faults();
      if (crashes[0]) faults.failNext(crashes[0], { ...options, times: 100 });
      const crashed = await reconcileOnce(instances(), { client, object: metadata, faults }).then(
        () => false,
        () => true,
      );
      if (crashed) crashes.shift();
      // Not after a crash: the pods could complete a step whose status was not written yet.
      else await runPods(space);
      for (const job of (await client.resource(Job).list({ namespace: space })).items) jobs.add(job.metadata.uid);
      return (await read())?.progress;
    };
    await eventually(attempt, toMatch('Complete'), { timeoutMs: 90_000 });
    expect(crashes).toEqual([]);
    expect(await read()).toMatchObject({ run: 1, plan: 'deploy', progress: 'Complete' });
    expect(jobs.size).toBe(1);
  });
});
