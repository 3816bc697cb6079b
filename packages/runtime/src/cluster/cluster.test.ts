import { type Kind, type KubernetesObject, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { requestController } from '../controller/definition/define-controller.ts';
import { enqueueForObject } from '../handler/enqueue.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { generationChanged } from '../predicate/index.ts';
import { kindSource } from '../source/kind-source.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { Cluster } from './cluster.ts';

const Thing: Kind<KubernetesObject> = {
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
};

describe('Cluster', () => {
  it('lets one manager mirror two clusters into its own, each with its own cache, client and reads', async () => {
    const clock = new VirtualClock();
    const parts = { clock, random: seededRandom(1), log: silentLogger };
    const home = new FakeApiServer([Thing], { clock });
    const servers = ['east', 'west'].map((name) => ({ name, server: new FakeApiServer([Thing], { clock }) }));
    const clusters = servers.map(({ name, server }) => new Cluster({ name, client: server.client, ...parts }));
    const done: string[] = [];
    const controllers = clusters.map((cluster) =>
      requestController({
        name: `mirror-${cluster.name}`,
        sources: [kindSource(cluster, { kind: Thing, handler: enqueueForObject(), predicates: [generationChanged()] })],
        async reconcile(request, ctx) {
          const there = await cluster.get(Thing, request, { signal: ctx.signal });
          done.push(`${cluster.name}/${request.name}`);
          if (!there) return;
          const name = `${cluster.name}-${request.name}`;
          await ctx.apply({ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { namespace: 'default', name } });
        },
      }),
    );
    servers[0]!.server.put(Thing, { metadata: { name: 'a' } });
    const manager = new Manager({
      controllers,
      runnables: clusters,
      caches: [Thing],
      client: home.client,
      handleSignals: false,
      watchdog: false,
      ...parts,
    });
    const running = manager.run();
    await manager.started();
    await eventually(() => home.get(Thing, 'east-a') !== undefined);
    servers[1]!.server.put(Thing, { metadata: { name: 'b' } });
    await eventually(() => home.get(Thing, 'west-b') !== undefined);
    expect(done).toEqual(['east/a', 'west/b']);
    expect(clusters.map(({ cache }) => cache.lister(Thing).size)).toEqual([1, 1]);
    expect(() => clusters[0]!.readyz(AbortSignal.abort())).not.toThrow();
    const apart = new Cluster({ name: 'apart', client: home.client, caches: [Thing], ...parts });
    expect(() => apart.readyz(AbortSignal.abort())).toThrow('apart: the initial list of Thing is not complete yet');
    // A write to one cluster is visible in that cluster's cache immediately, and in no other cache.
    const [east, west] = clusters as [Cluster, Cluster];
    const c = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { namespace: 'default', name: 'c' } };
    await east.client.resource(Thing).create(c);
    const names = (cluster: Cluster): Promise<(string | undefined)[]> =>
      cluster.list(Thing).then((all) => all.map(({ metadata }) => metadata.name));
    expect([await names(east), await names(west)]).toEqual([['a', 'c'], ['b']]);
    await manager[Symbol.asyncDispose]();
    await running;
    expect(servers.map(({ server }) => server.openWatches)).toEqual([0, 0]);
  });
});
