import { Pod } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment, TestOperator, toBeAbsent, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PodSet } from './api/v1/pod-set.ts';
import { replicaSet } from './replica-set.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };
const namespace = 'default';

describe('replica-set', () => {
  let environment: TestEnvironment;
  let operator: TestOperator;
  beforeAll(async () => {
    const crd = new URL('../config/crd/bases/sets.example.com_podsets.yaml', import.meta.url).pathname;
    environment = await TestEnvironment.start({ manifests: [crd] });
    const { client } = environment;
    operator = await TestOperator.start(client, { runnables: [replicaSet] });
  });
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });

  const pods = async () => (await environment.client.resource(Pod).list({ namespace })).items;
  const current = async () =>
    (await environment.client.resource(PodSet).get({ namespace, name: 'web' })).status?.replicas;

  it('creates exactly the missing pods, and deletes surplus pods', async () => {
    const { client } = environment;
    const created = new Set<string>();
    const stop = new AbortController();
    const watching = (async () => {
      for await (const event of client.resource(Pod).watch({ namespace, signal: stop.signal }))
        if (event.type === 'ADDED') created.add(event.object.metadata.uid);
    })().catch(() => undefined); // stopped below
    const web = PodSet({ metadata: { name: 'web', namespace }, spec: { replicas: 20, image: 'busybox' } });
    await client.resource(PodSet).create(web);
    await operator.eventually(current, toMatch(20), waitOptions);
    const [first] = await pods();
    await client.resource(Pod).delete({ namespace, name: first?.metadata.name ?? '' }, { gracePeriodSeconds: 0 });
    await operator.eventually(() => created.size, toMatch(21), waitOptions);
    const body = { spec: { replicas: 2 } };
    await client.resource(PodSet).patch({ namespace, name: 'web' }, { type: 'merge', body });
    await operator.eventually(async () => (await pods()).length, toMatch(2), waitOptions);
    await operator.eventually(current, toMatch(2), waitOptions);
    expect(created.size).toBe(21);
    // From this point, a pod may be replaced again: as in Kubernetes, the deletion of the pod can arrive before the
    // deletion of the set.
    await client.resource(PodSet).delete({ namespace, name: 'web' });
    await operator.eventually(pods, toBeAbsent(), waitOptions);
    stop.abort();
    await watching;
  });

  it('logs the failures of the pods and of the status', async () => {
    const { client } = environment;
    operator.faults.failNext({ verb: 'create', kind: 'Pod' }, { status: 403 });
    operator.faults.failNext({ kind: 'PodSet', subresource: 'status' }, { status: 500 });
    const metadata = { name: 'failing', namespace };
    await client.resource(PodSet).create(PodSet({ metadata, spec: { replicas: 1, image: 'busybox' } }));
    // A sync of the deleted set may have failed before, because the set was gone.
    const failure = () => operator.log.find((line) => /sync failed.*default\/failing/.test(line)) ?? '';
    await operator.eventually(
      failure,
      (line) => /forbidden by an injected fault; .*Internal error/.test(line),
      waitOptions,
    );
  });
});
