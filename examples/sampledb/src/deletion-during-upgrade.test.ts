import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { eventually, FakeInfrastructure, reconcileOnce, TestEnvironment } from '@kubewright/testing';
import { describe, expect, it, vi } from 'vitest';
import { SampleDB } from './api/v1/sample-db.ts';
import { sampleDB } from './sample-db.ts';

const namespace = 'default';
const key = { namespace, name: 'mydb' };
const crd = new URL('../config/crd/bases/samples.example.com_sampledbs.yaml', import.meta.url).pathname;

// The default is too short for a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describe('sampledb', () => {
  const completed = { 'dump-for-16': 'postgres:15', 'upgrade-to-16': 'postgres:16', snapshot: 'postgres:16' };
  it.each<[string, string, string | null, object]>([
    // The image of the new version may not exist.
    ['abandons an upgrade if it is deleted before the old server is replaced', '15', '16', { snapshot: 'postgres:15' }],
    ['completes an upgrade if it is deleted after the old server is replaced', '16', '16', completed],
    ['completes an upgrade if it is deleted before the target is in the status', '16', null, completed],
  ])('%s', async (_, running, target, expected) => {
    await using environment = await TestEnvironment.start({
      manifests: [crd],
      components: FakeInfrastructure.components,
    });
    await using infrastructure = await FakeInfrastructure.start(environment);
    const { client } = environment;
    const databases = client.resource(SampleDB);
    const reconcile = () => reconcileOnce(sampleDB, { client, object: key });
    const pod = { namespace, name: 'mydb-0' };
    // The StatefulSet controller may still be replacing the pod.
    const makeReady = () =>
      eventually(
        () => infrastructure.makeReady(pod),
        ({ status }) => status?.phase === 'Running',
        { timeoutMs: 30_000 },
      );
    await databases.create(SampleDB({ metadata: key, spec: { version: running } }));
    await reconcile();
    await makeReady();
    await databases.status.patch(key, { type: 'merge', body: { status: { version: '15', target } } });
    await databases.delete(key);

    const jobs: string[] = [];
    const images: (string | undefined)[] = [];
    let object: unknown = {};
    for (let step = 0; object && step < 20; step++) {
      ({ object } = await reconcile());
      const { items } = await client.resource(Job).list({ namespace });
      for (const { metadata, spec, status } of items) {
        const name = metadata.name.replace('mydb-', '');
        if (name === 'init' || jobs.includes(name) || status?.succeeded) continue;
        jobs.push(name);
        images.push(spec?.template.spec?.containers[0]?.image);
        await infrastructure.complete({ namespace, name: metadata.name });
      }
      const { spec } = (await client.resource(StatefulSet).list({ namespace })).items[0] ?? {};
      if (spec?.template.spec?.containers[0]?.image === 'postgres:16') await makeReady();
    }
    expect(jobs).toEqual(Object.keys(expected));
    expect(images).toEqual(Object.values(expected));
    expect(object).toBeUndefined();
  });
});
