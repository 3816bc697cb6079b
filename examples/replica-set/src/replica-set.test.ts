import { Pod } from '@kubewright/apimachinery/core/v1';
import { silentLogger as log, Manager } from '@kubewright/runtime';
import { TestEnvironment } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PodSet } from './api/v1/pod-set.ts';
import { replicaSet } from './replica-set.ts';

// A busy machine needs more than a second.
const patience = { timeout: 30_000 };
const namespace = 'default';

describe('replica-set', () => {
  let environment: TestEnvironment;
  let manager: Manager;
  beforeAll(async () => {
    const crd = new URL('../config/crd/bases/sets.example.com_podsets.yaml', import.meta.url).pathname;
    environment = await TestEnvironment.start({ manifests: [crd] });
    const { client } = environment;
    manager = new Manager({ runnables: [replicaSet], client, log, handleSignals: false });
    manager.run().catch(() => undefined); // stopped by afterAll
    await manager.started();
  });
  afterAll(async () => {
    await manager?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const pods = async () => (await environment.client.resource(Pod).list({ namespace })).items;
  const current = async () =>
    (await environment.client.resource(PodSet).get({ namespace, name: 'web' })).status?.replicas;

  it('creates exactly the pods that are missing, and deletes those that are too many', async () => {
    const { client } = environment;
    const created = new Set<string>();
    const stop = new AbortController();
    const watching = (async () => {
      for await (const event of client.resource(Pod).watch({ namespace, signal: stop.signal }))
        if (event.type === 'ADDED') created.add(event.object.metadata.uid);
    })().catch(() => undefined); // stopped below
    const web = PodSet({ metadata: { name: 'web', namespace }, spec: { replicas: 20, image: 'busybox' } });
    await client.resource(PodSet).create(web);
    await expect.poll(current, patience).toBe(20);
    const [first] = await pods();
    await client.resource(Pod).delete({ namespace, name: first?.metadata.name ?? '' }, { gracePeriodSeconds: 0 });
    await expect.poll(() => created.size, patience).toBe(21);
    const body = { spec: { replicas: 2 } };
    await client.resource(PodSet).patch({ namespace, name: 'web' }, { type: 'merge', body });
    await expect.poll(async () => (await pods()).length, patience).toBe(2);
    await expect.poll(current, patience).toBe(2);
    expect(created.size).toBe(21);
    // From here on, a pod may be replaced once more: its deletion can arrive before that of the set, as in Kubernetes.
    await client.resource(PodSet).delete({ namespace, name: 'web' });
    await expect.poll(pods, patience).toEqual([]);
    stop.abort();
    await watching;
  });
});
