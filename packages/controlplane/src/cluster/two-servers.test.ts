import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { ConfigMap, Namespace, Service } from '@kubewright/apimachinery/core/v1';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { openEtcdStorage } from '@kubewright/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdServer, isEtcdMissing } from '../../../apiserver/src/testdata/etcd-server.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';

const namespace = 'default';
const components = ['apiserver'];

describe.skipIf(isEtcdMissing)('two API servers on one etcd', () => {
  let etcd: EtcdServer;
  let one: EmbeddedCluster;
  let two: EmbeddedCluster;
  beforeAll(async () => {
    etcd = await EtcdServer.start();
    const etcdServers = [etcd.url];
    [one, two] = await Promise.all([
      EmbeddedCluster.start({ components, etcdServers }),
      EmbeddedCluster.start({ components, etcdServers }),
    ]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([one?.stop(), two?.stop()]);
    await etcd?.[Symbol.asyncDispose]();
  });
  const mapsOf = (cluster: EmbeddedCluster) => cluster.client().resource(ConfigMap);

  it("see each other's writes in reads, lists and watches", async () => {
    const seen: string[] = [];
    const abort = new AbortController();
    const { metadata } = await mapsOf(two).list({ namespace });
    const watching = (async () => {
      const options = { namespace, resourceVersion: metadata.resourceVersion, signal: abort.signal };
      for await (const { type, object } of mapsOf(two).watch(options)) seen.push(`${type} ${object.metadata.name}`);
    })().catch(() => undefined);
    const made = await mapsOf(one).create(ConfigMap({ metadata: { name: 'a', namespace }, data: { x: '1' } }));
    expect(await mapsOf(two).get({ namespace, name: 'a' })).toEqual(made);
    expect((await mapsOf(two).list({ namespace })).items.map((item) => item.metadata.name)).toContain('a');
    await mapsOf(two).update(ConfigMap({ ...made, data: { x: '2' } }));
    await expect(mapsOf(one).update(ConfigMap({ ...made, data: { x: '3' } }))).rejects.toMatchObject({
      reason: 'Conflict',
    });
    await mapsOf(one).delete({ namespace, name: 'a' });
    await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    abort.abort();
    await watching;
  });

  it('authorize by roles that the other server has stored', async () => {
    const user = { commonName: 'jane', organizations: [] as readonly string[] };
    await expect(two.client(user).resource(ConfigMap).list({ namespace })).rejects.toMatchObject({
      reason: 'Forbidden',
    });
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }];
    await two
      .client()
      .resource(ClusterRole)
      .create(ClusterRole({ metadata: { name: 'lister' }, rules }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lister' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
    await one
      .client()
      .resource(ClusterRoleBinding)
      .create(ClusterRoleBinding({ metadata: { name: 'jane' }, roleRef, subjects }));
    const allowed = async (): Promise<boolean> =>
      two
        .client(user)
        .resource(ConfigMap)
        .list({ namespace })
        .then(
          () => true,
          () => false,
        );
    await expect.poll(allowed, { timeout: 30_000 }).toBe(true);
  });

  it('never give one address or node port to two services', async () => {
    const create = (cluster: EmbeddedCluster, n: number): Promise<Service> => {
      const spec = {
        type: 'NodePort' as const,
        ports: [{ port: 80 }],
        ...(n < 10 && { clusterIP: `10.96.7.${n + 1}` }),
      };
      return cluster
        .client()
        .resource(Service)
        .create(Service({ metadata: { generateName: 's-', namespace }, spec }));
    };
    // Both servers request the same ten addresses for their first ten services.
    const made = await Promise.allSettled(
      [one, two].flatMap((cluster) => Array.from({ length: 30 }, (_, n) => create(cluster, n))),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    const { items } = await one.client().resource(Service).list({ namespace });
    const addresses = items.map(({ spec }) => spec?.clusterIP);
    const ports = items.flatMap(({ spec }) => spec?.ports?.map(({ nodePort }) => nodePort) ?? []).filter(Boolean);
    expect(new Set(addresses).size).toBe(items.length);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it('lose nothing that was acknowledged when one of them is killed under load', { timeout: 30_000 }, async () => {
    const spaces = one.client().resource(Namespace);
    await spaces.create(Namespace({ metadata: { name: 'load' } }));
    const third = await EmbeddedCluster.start({
      components,
      etcdServers: [etcd.url],
      clock: systemClock,
      random: systemRandom,
    });
    const acknowledged: string[] = [];
    let isKilled = false;
    const write = async (cluster: EmbeddedCluster, name: string): Promise<void> => {
      try {
        await mapsOf(cluster).create(ConfigMap({ metadata: { name, namespace: 'load' } }));
        acknowledged.push(name);
      } catch (error) {
        if (cluster !== third || !isKilled) throw error;
      }
    };
    const load = [one, third].map(async (cluster, who) => {
      for (let n = 0; n < 150; n++) await write(cluster, `m-${who}-${n}`);
    });
    await expect.poll(() => acknowledged.length, { timeout: 30_000 }).toBeGreaterThan(40);
    isKilled = true;
    await third.stop({ withinMs: 1 });
    await Promise.all(load);
    const { items } = await mapsOf(two).list({ namespace: 'load' });
    const names = new Set(items.map(({ metadata }) => metadata.name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
  });

  it('use the keys and the encoding of kube-apiserver', async () => {
    await using storage = await openEtcdStorage({ servers: [etcd.url], clock: systemClock });
    const { objects } = await storage.list({ prefix: '/registry/' });
    const prefixes = new Set(objects.map(({ key }) => key.split('/').slice(0, 3).join('/')));
    expect(prefixes).toContain('/registry/clusterroles');
    expect(prefixes).toContain('/registry/services');
    const stored = await storage.get('/registry/namespaces/default');
    const text = Buffer.from(stored?.bytes ?? '').toString();
    expect(text).toMatch(/^\{"kind":"Namespace","apiVersion":"v1","metadata":\{"name":"default","uid":/);
    expect(text).not.toContain('resourceVersion');
  });
});
