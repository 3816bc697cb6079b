import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Service } from '@kubewright/apimachinery/core/v1';
import { applyManifests } from '@kubewright/controlplane';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Instance } from './api/v1/instance.ts';
import { OperatorVersion } from './api/v1/operator-version.ts';
import { instance } from './instance.ts';

// A busy machine needs more than a second.
vi.setConfig({ testTimeout: 120_000 });
const patience = { timeout: 30_000 };
const namespace = 'default';
const file = (path: string) => new URL(`../config/${path}`, import.meta.url).pathname;
const crds = ['instances', 'operatorversions'].map((name) => file(`crd/bases/plans.example.com_${name}.yaml`));

describe('plans', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ manifests: crds });
    const files = [file('samples/web-operator.yaml'), file('samples/shop.yaml')];
    await applyManifests(environment.client, { files, fieldManager: 'test' });
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  const shop = { namespace, name: 'shop' };
  const status = async () => (await environment.client.resource(Instance).get(shop)).status;
  const steps = async () =>
    (await status())?.phases?.flatMap((phase) => phase.steps.map(({ name, progress }) => `${name} ${progress}`));
  // The test plays the kubelet.
  const finishJob = async () => {
    const at = '2026-01-01T00:00:00Z';
    const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    }));
    const body = { status: { startTime: at, completionTime: at, succeeded: 1, conditions } };
    await environment.client
      .resource(Job)
      .status.patch({ namespace, name: `web-migrate-${(await status())?.run}` }, { type: 'merge', body });
  };
  const finishDeployment = async () => {
    const deployments = environment.client.resource(Deployment);
    const { spec, metadata } = await deployments.get({ namespace, name: 'web' });
    const count = spec?.replicas ?? 1;
    const counts = { replicas: count, updatedReplicas: count, readyReplicas: count, availableReplicas: count };
    const conditions = [{ type: 'Available', status: 'True', reason: 'Test', message: '' }];
    const body = { status: { observedGeneration: metadata.generation, ...counts, unavailableReplicas: 0, conditions } };
    await deployments.status.patch({ namespace, name: 'web' }, { type: 'merge', body });
  };

  it('resumes after each crash, runs the plan of a changed parameter, another Job per run, and prunes', async () => {
    const { client } = environment;
    // Each reconcile is a new process, which has no state.
    await reconcileOnce(instance, { client, object: shop });
    expect(await status()).toMatchObject({ run: 1, plan: 'deploy', progress: 'InProgress' });
    expect(await steps()).toEqual(['config Complete', 'migrate InProgress', 'server Pending', 'service Pending']);
    await finishJob();
    const { result } = await reconcileOnce(instance, { client, object: shop });
    expect(await steps()).toEqual(['config Complete', 'migrate Complete', 'server Pending', 'service Pending']);
    expect(result).toEqual({ requeueAfterMs: 0 });
    await reconcileOnce(instance, { client, object: shop });
    expect(await steps()).toEqual(['config Complete', 'migrate Complete', 'server InProgress', 'service Pending']);
    // A complete step does not run again.
    await client.resource(Job).delete({ namespace, name: 'web-migrate-1' }, { propagationPolicy: 'Background' });
    const { writes } = await reconcileOnce(instance, { client, object: shop });
    expect(writes.filter(({ kind }) => kind !== 'Instance')).toEqual([]);

    await using manager = new Manager({ controllers: [instance], client, log, handleSignals: false });
    manager.run().catch(() => undefined); // stopped at the end
    const settled = async () => {
      await finishDeployment().catch(() => undefined); // does not exist yet, or has changed meanwhile
      await finishJob().catch(() => undefined);
      const { run, plan, progress } = (await status()) ?? {};
      return `${run} ${plan} ${progress}`;
    };
    await expect.poll(settled, patience).toBe('1 deploy Complete');
    expect((await client.resource(Service).get({ namespace, name: 'web' })).spec?.ports).toHaveLength(1);

    const set = (parameters: object) =>
      client.resource(Instance).patch(shop, { type: 'merge', body: { spec: { parameters } } });
    await set({ REPLICAS: '3' });
    await expect.poll(settled, patience).toBe('2 scale Complete');
    expect((await client.resource(Deployment).get({ namespace, name: 'web' })).spec?.replicas).toBe(3);
    await set({ MESSAGE: 'hello again' });
    await expect.poll(settled, patience).toBe('3 deploy Complete');
    const jobs = async () =>
      (await client.resource(Job).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await expect.poll(jobs, patience).toEqual(['web-migrate-3']);

    // The next version of the operator has no service.
    const web = { namespace, name: 'web' };
    const { spec } = await client.resource(OperatorVersion).get(web);
    const plans = spec.plans.map((plan) => ({
      ...plan,
      phases: plan.phases.map((phase) => ({ ...phase, steps: phase.steps.filter(({ name }) => name !== 'service') })),
    }));
    await client.resource(OperatorVersion).patch(web, { type: 'merge', body: { spec: { plans } } });
    await set({ MESSAGE: 'goodbye' });
    await expect.poll(settled, patience).toBe('4 deploy Complete');
    const services = async () =>
      (await client.resource(Service).list({ namespace })).items.map(({ metadata }) => metadata.name);
    await expect.poll(services, patience).toEqual(['kubernetes']);
    expect((await client.resource(Deployment).get(web)).spec?.replicas).toBe(3);
  });

  it.each([
    ['an unknown operator', { operatorVersion: 'none' }, 'there is no OperatorVersion none'],
    ['a missing parameter', { operatorVersion: 'web' }, 'the parameter MESSAGE is required'],
  ])('reports %s', async (title, spec, message) => {
    const name = title.replaceAll(' ', '-');
    const broken = Instance({ metadata: { name, namespace }, spec });
    const { object } = await reconcileOnce(instance, { client: environment.client, object: broken });
    expect(object?.status).toMatchObject({ conditions: [{ type: 'Ready', reason: 'Blocked', message }] });
  });
});
