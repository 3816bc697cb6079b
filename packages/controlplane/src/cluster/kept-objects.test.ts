import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Event, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { MemoryStorage } from '@kubewright/apiserver';
import { afterAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const root = mkdtempSync(join(tmpdir(), 'kw-data-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const namespace = 'default';

async function createMaps(cluster: EmbeddedCluster, count: number): Promise<void> {
  const maps = cluster.client().resource(ConfigMap);
  for (let n = 0; n < count; n++)
    await maps.create(ConfigMap({ metadata: { name: `m${n}`, namespace }, data: { n: `${n}` } }));
}

const names = async (cluster: EmbeddedCluster): Promise<readonly (string | undefined)[]> => {
  const { items } = await cluster.client().resource(ConfigMap).list({ namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
};

describe('a cluster with a data folder', () => {
  it('continues with its objects and their pods after a restart', { timeout: 60_000 }, async () => {
    const options = {
      directory: join(root, 'state'),
      data: join(root, 'data'),
      node: { driver: 'simulated' },
    } as const;
    const ready = async (cluster: EmbeddedCluster): Promise<number | undefined> =>
      (await cluster.client().resource(Deployment).get({ namespace, name: 'web' })).status?.readyReplicas;
    const uids = async (cluster: EmbeddedCluster): Promise<readonly (string | undefined)[]> =>
      (await cluster.client().resource(Pod).list({ namespace })).items.map(({ metadata }) => metadata.uid);
    let before: Awaited<ReturnType<typeof uids>>;
    let last: string;
    {
      await using cluster = await EmbeddedCluster.start(options);
      const labels = { app: 'web' };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
      const spec = { replicas: 2, selector: { matchLabels: labels }, template };
      await cluster
        .client()
        .resource(Deployment)
        .create(Deployment({ metadata: { name: 'web', namespace }, spec }));
      await expect.poll(() => ready(cluster), { timeout: 30_000 }).toBe(2);
      before = await uids(cluster);
      const made = await cluster
        .client()
        .resource(ConfigMap)
        .create(ConfigMap({ metadata: { name: 'last', namespace } }));
      last = made.metadata.resourceVersion;
    }
    await using cluster = await EmbeddedCluster.start(options);
    const kept = await cluster.client().resource(ConfigMap).get({ namespace, name: 'last' });
    expect(kept.metadata.resourceVersion).toBe(last);
    await expect.poll(() => ready(cluster), { timeout: 30_000 }).toBe(2);
    expect([...(await uids(cluster))].sort()).toEqual([...before].sort());
    const next = await cluster
      .client()
      .resource(ConfigMap)
      .create(ConfigMap({ metadata: { name: 'next', namespace } }));
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(last));
  });

  it.each([
    ['without a folder for its state', {}, {}],
    ['with new folders for its state', { directory: join(root, 'first') }, { directory: join(root, 'second') }],
  ])('continues with its range of service addresses %s', { timeout: 60_000 }, async (_, first, second) => {
    const data = mkdtempSync(join(root, 'range-'));
    // Services get loopback addresses only if pods run on this machine.
    const options = { data, components: ['apiserver', 'nodes'] };
    const create = async (cluster: EmbeddedCluster, name: string): Promise<string | undefined> => {
      const service = Service({ metadata: { name, namespace }, spec: { ports: [{ port: 80 }] } });
      return (await cluster.client().resource(Service).create(service)).spec?.clusterIP;
    };
    const rangeOf = (address: string | undefined): string | undefined => address?.split('.').slice(0, 2).join('.');
    let address: string | undefined;
    {
      await using cluster = await EmbeddedCluster.start({ ...options, ...first });
      address = await create(cluster, 'a');
    }
    await using cluster = await EmbeddedCluster.start({ ...options, ...second });
    expect(rangeOf(await create(cluster, 'b'))).toBe(rangeOf(address));
    const { spec } = await cluster.client().resource(Service).get({ namespace, name: 'kubernetes' });
    expect(rangeOf(spec?.clusterIP)).toBe(rangeOf(address));
  });
});

describe('a snapshot', () => {
  it('starts forks that do not affect each other, and restores its cluster', { timeout: 60_000 }, async () => {
    const components = ['apiserver'];
    await using cluster = await EmbeddedCluster.start({ components });
    await createMaps(cluster, 3);
    const snapshot = await cluster.snapshot();
    await using fork = await EmbeddedCluster.start({ components, snapshot });
    expect(await names(fork)).toEqual(['m0', 'm1', 'm2']);
    await fork.client().resource(ConfigMap).delete({ namespace, name: 'm1' });
    expect(await names(cluster)).toEqual(['m0', 'm1', 'm2']);
    await fork.restore(snapshot);
    expect(await names(fork)).toEqual(['m0', 'm1', 'm2']);
    await cluster
      .client()
      .resource(ConfigMap)
      .create(ConfigMap({ metadata: { name: 'new', namespace } }));
    const changed = { metadata: { name: 'm0', namespace }, data: { n: 'changed' } };
    await cluster.client().resource(ConfigMap).update(ConfigMap(changed));
    await cluster.restore(snapshot);
    expect(await names(cluster)).toEqual(['m0', 'm1', 'm2']);
    const { data } = await cluster.client().resource(ConfigMap).get({ namespace, name: 'm0' });
    expect(data).toEqual({ n: '0' });
  });

  it('keeps the time to live of events', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 5, 1));
    const components = ['apiserver'];
    await using cluster = await EmbeddedCluster.start({ components, clock });
    const event = { involvedObject: { kind: 'Pod', name: 'p', namespace }, reason: 'Test', message: 'x' };
    await cluster
      .client()
      .resource(Event)
      .create(Event({ metadata: { name: 'e', namespace }, ...event }));
    await using fork = await EmbeddedCluster.start({ components, clock, snapshot: await cluster.snapshot() });
    const count = async (): Promise<number> => (await fork.client().resource(Event).list({ namespace })).items.length;
    expect(await count()).toBe(1);
    await clock.advance(3_600_000);
    expect(await count()).toBe(0);
  });

  it('of 1,000 objects is taken and opened in 5 ms', async () => {
    await using cluster = await EmbeddedCluster.start({ components: ['apiserver'] });
    await createMaps(cluster, 1000);
    const times: number[] = [];
    for (let round = 0; round < 10; round++) {
      const before = performance.now();
      const { objects, revision } = await cluster.snapshot();
      const storage = new MemoryStorage({ clock: systemClock, initialRevision: revision, objects });
      expect(await storage.get('/registry/configmaps/default/m7')).toBeDefined();
      times.push(performance.now() - before);
    }
    // Compare the fastest run: a busy machine delays the other runs.
    expect(Math.min(...times)).toBeLessThan(5);
  });
});
