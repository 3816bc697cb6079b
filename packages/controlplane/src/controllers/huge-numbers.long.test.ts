import type { KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestControlPlane } from './testdata/test-control-plane.ts';

const namespace = 'default';
/** Names a scheduler that does not exist, because scheduling would add two writes per pod. */
const spec = { schedulerName: 'none', containers: [{ name: 'c', image: 'i' }] } as const;
const maxInt32 = 0x7fffffff;

/** Memory and time must not depend on numbers that users set. Each of these cases once crashed the process. */
describe('built-in controllers with counts in the billions', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  const labeled = (app: string) => ({
    selector: { matchLabels: { app } },
    template: { metadata: { labels: { app } }, spec },
  });
  const podsOf = async (app: string): Promise<readonly Pod[]> =>
    (await plane.client.resource(Pod).list({ namespace, labelSelector: `app=${app}` })).items;
  const namesOf = async (app: string) => (await podsOf(app)).map(({ metadata }) => metadata.name).sort();
  const metadata = (name: string): KubernetesObject['metadata'] => ({ name, namespace });

  async function makeReady(name: string): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const body = { status: { phase: 'Running', conditions } };
    await plane.client.resource(Pod).status.patch({ namespace, name }, { type: 'merge', body });
  }

  it('create the pods of an ordered StatefulSet one at a time', async () => {
    const sets = plane.client.resource(StatefulSet);
    const set = { ...labeled('ordered'), serviceName: 's', replicas: maxInt32, ordinals: { start: 3 } };
    await sets.create(StatefulSet({ metadata: metadata('ordered'), spec: set }));
    await expect.poll(() => namesOf('ordered')).toEqual(['ordered-3']);
    await makeReady('ordered-3');
    await expect.poll(() => namesOf('ordered')).toEqual(['ordered-3', 'ordered-4']);
    await expect
      .poll(async () => (await sets.get({ namespace, name: 'ordered' })).status)
      .toMatchObject({ replicas: 2, readyReplicas: 1, currentReplicas: 2 });
    await sets.patch({ namespace, name: 'ordered' }, { type: 'merge', body: { spec: { replicas: 1 } } });
    await expect.poll(() => namesOf('ordered')).toEqual(['ordered-3']);
  });

  it('create the pods of a StatefulSet with the Parallel policy in batches', async () => {
    const sets = plane.client.resource(StatefulSet);
    const set = {
      ...labeled('parallel'),
      serviceName: 's',
      podManagementPolicy: 'Parallel',
      replicas: maxInt32,
    } as const;
    await sets.create(StatefulSet({ metadata: metadata('parallel'), spec: set }));
    await expect.poll(async () => (await podsOf('parallel')).length).toBeGreaterThan(1);
    await sets.patch({ namespace, name: 'parallel' }, { type: 'merge', body: { spec: { replicas: 2 } } });
    await expect.poll(() => namesOf('parallel'), { timeout: 100_000 }).toEqual(['parallel-0', 'parallel-1']);
  }, 120_000);

  it('run the last index of an Indexed Job', async () => {
    const jobs = plane.client.resource(Job);
    const template = { metadata: { labels: { app: 'indexed' } }, spec: { ...spec, restartPolicy: 'Never' } } as const;
    const completions = 2_000_000_000;
    await jobs.create(
      Job({
        metadata: metadata('indexed'),
        spec: { completionMode: 'Indexed', completions, parallelism: 2, suspend: true, template },
      }),
    );
    await expect
      .poll(async () => (await jobs.get({ namespace, name: 'indexed' })).status?.conditions?.[0]?.type)
      .toBe('Suspended');
    const status = { completedIndexes: '0-1999999997,1999999999', succeeded: completions - 1 };
    await jobs.status.patch({ namespace, name: 'indexed' }, { type: 'merge', body: { status } });
    await jobs.patch({ namespace, name: 'indexed' }, { type: 'merge', body: { spec: { suspend: false } } });
    const index = async () =>
      (await podsOf('indexed'))[0]?.metadata.annotations?.['batch.kubernetes.io/job-completion-index'];
    await expect.poll(index).toBe('1999999998');
    const [pod] = await namesOf('indexed');
    const body = { status: { phase: 'Succeeded' } };
    await plane.client.resource(Pod).status.patch({ namespace, name: pod ?? '' }, { type: 'merge', body });
    await expect
      .poll(async () => (await jobs.get({ namespace, name: 'indexed' })).status)
      .toMatchObject({ completedIndexes: '0-1999999999', succeeded: completions });
  });

  it('create the pods of a Job in batches', async () => {
    const jobs = plane.client.resource(Job);
    const template = { metadata: { labels: { app: 'many' } }, spec: { ...spec, restartPolicy: 'Never' } } as const;
    const counts = { parallelism: maxInt32, completions: maxInt32, backoffLimit: maxInt32 };
    await jobs.create(Job({ metadata: metadata('many'), spec: { ...counts, template } }));
    await expect.poll(async () => (await podsOf('many')).length).toBeGreaterThan(1);
    await jobs.patch({ namespace, name: 'many' }, { type: 'merge', body: { spec: { parallelism: 1 } } });
    await expect.poll(async () => (await podsOf('many')).length, { timeout: 100_000 }).toBe(1);
  }, 120_000);

  it('compute the rollout and the disruption budget of a Deployment', async () => {
    const rollingUpdate = { maxSurge: '2000000000%', maxUnavailable: 1 };
    const limits = { revisionHistoryLimit: maxInt32, progressDeadlineSeconds: maxInt32, minReadySeconds: maxInt32 - 1 };
    const deployments = plane.client.resource(Deployment);
    await deployments.create(
      Deployment({
        metadata: metadata('surging'),
        spec: { ...labeled('surging'), ...limits, replicas: 2, strategy: { rollingUpdate } },
      }),
    );
    const budgets = plane.client.resource(PodDisruptionBudget);
    await budgets.create(
      PodDisruptionBudget({
        metadata: metadata('surging'),
        spec: { selector: { matchLabels: { app: 'surging' } }, maxUnavailable: maxInt32 },
      }),
    );
    await expect.poll(async () => (await podsOf('surging')).length).toBe(2);
    await expect.poll(async () => (await budgets.get({ namespace, name: 'surging' })).status?.expectedPods).toBe(2);
    const [owned] = (await plane.client.resource(ReplicaSet).list({ namespace, labelSelector: 'app=surging' })).items;
    expect(owned?.metadata.annotations?.['deployment.kubernetes.io/max-replicas']).toBe('40000002');
    const larger = { replicas: maxInt32 - 1, strategy: { rollingUpdate: { maxSurge: '300%' } }, paused: true };
    await deployments.patch({ namespace, name: 'surging' }, { type: 'merge', body: { spec: larger } });
    const sizes = async () =>
      (await plane.client.resource(ReplicaSet).list({ namespace, labelSelector: 'app=surging' })).items;
    await expect.poll(async () => (await sizes())[0]?.spec?.replicas).toBe(maxInt32 - 1);
    expect((await sizes())[0]?.metadata.annotations?.['deployment.kubernetes.io/max-replicas']).toBe(String(maxInt32));
    await deployments.patch({ namespace, name: 'surging' }, { type: 'merge', body: { spec: { replicas: 0 } } });
    await expect.poll(async () => (await podsOf('surging')).length, { timeout: 100_000 }).toBe(0);
  }, 120_000);
});
