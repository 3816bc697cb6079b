import { setControllerReference, VirtualClock } from '@kubewright/apimachinery';
import { Deployment, ReplicaSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Pod } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { TestEnvironment } from '@kubewright/controlplane';
import { controller, defineKind } from '@kubewright/runtime';
import { describe, expect, it } from 'vitest';
import { advance } from '../clock/advance.ts';
import { Faults } from '../faults/faults.ts';
import { toBeOwnedBy } from '../matchers/to-be-owned-by.ts';
import { toHaveCondition } from '../matchers/to-have-condition.ts';
import { toHaveEvent } from '../matchers/to-have-event.ts';
import { reconcileOnce } from './reconcile-once.ts';

interface ShopStatus {
  readonly mode?: string;
  readonly conditions?: readonly Condition[];
}

const Shop = defineKind<{ readonly message: string }, ShopStatus>({
  group: 'shop.example.com',
  version: 'v1',
  kind: 'Shop',
});

const shops = controller({
  for: Shop,
  owns: [ConfigMap],
  desired: ({ metadata: { name }, spec }) => ({
    children: [ConfigMap({ metadata: { name }, data: { message: spec.message } })],
    status: { mode: 'open' },
  }),
});
const shop = Shop({ metadata: { name: 'one', namespace: 'shop' }, spec: { message: 'hi' } });

describe('reconcileOnce', () => {
  it('reports the writes and the status of one reconcile, at the time of the world', async () => {
    const first = await reconcileOnce(shops, { objects: [shop], now: '2030-01-01T00:00:00Z' });
    expect(first.writes).toMatchObject([
      { verb: 'apply', kind: 'ConfigMap', namespace: 'shop', name: 'one', body: { data: { message: 'hi' } } },
      { verb: 'apply', kind: 'Shop', name: 'one', subresource: 'status' },
    ]);
    expect(first.status?.mode).toBe('open');
    expect(first.status?.conditions).toMatchObject([{ type: 'Ready', lastTransitionTime: '2030-01-01T00:00:00Z' }]);
    expect(first.object?.metadata.creationTimestamp).toBe('2030-01-01T00:00:00Z');
    toHaveCondition('Ready')(first.object);
    toBeOwnedBy(first.object ?? shop)(await first.client.resource(ConfigMap).get({ namespace: 'shop', name: 'one' }));
    expect((await first.again()).writes).toEqual([]);
  });

  it('continues in the same world after the test has changed it', async () => {
    const first = await reconcileOnce(shops, { objects: [shop] });
    const body = { spec: { message: 'ho' } };
    await first.client.resource(Shop).patch({ namespace: 'shop', name: 'one' }, { type: 'merge', body });
    expect((await first.again()).writes).toMatchObject([
      { kind: 'ConfigMap', body: { data: { message: 'ho' } } },
      { kind: 'Shop', subresource: 'status' },
    ]);
  });

  it('gives the objects their times, status, deletion and owners', async () => {
    const seen: unknown[] = [];
    const observer = controller({
      for: Shop,
      caches: [ConfigMap],
      finalizers: {
        'example.com/cleanup': async ({ metadata, status }, ctx) => {
          const items = await ctx.list(ConfigMap);
          seen.push(metadata.creationTimestamp, metadata.deletionTimestamp, status?.mode, items.length);
          seen.push(items[0]?.metadata.ownerReferences?.[0]?.uid === metadata.uid);
        },
      },
      reconcile: async () => undefined,
    });
    const deleted = {
      ...stored(shop),
      metadata: {
        ...stored(shop).metadata,
        creationTimestamp: '2025-01-01T00:00:00Z',
        deletionTimestamp: '2025-06-01T00:00:00Z',
        finalizers: ['example.com/cleanup'],
      },
      status: { mode: 'closed' },
    };
    const child = setControllerReference(ConfigMap({ metadata: { name: 'child', namespace: 'shop' } }), deleted);
    const { object, status, writes } = await reconcileOnce(observer, { objects: [deleted, child] });
    expect(seen).toEqual(['2025-01-01T00:00:00Z', '2025-06-01T00:00:00Z', 'closed', 1, true]);
    expect(writes).toMatchObject([{ kind: 'Shop', name: 'one' }]);
    expect([object, status]).toEqual([undefined, undefined]);
  });

  it('gives every owner reference the UID of its owner, whatever the order of the objects', async () => {
    const pods = controller({ for: Pod, reconcile: async () => undefined });
    const metadata = { name: 'web', namespace: 'shop' };
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'b' }] } };
    const spec = { selector: { matchLabels: { app: 'web' } }, template };
    const deployment = Deployment({ metadata, spec });
    const replicas = setControllerReference(ReplicaSet({ metadata, spec }), stored(deployment));
    const pod = setControllerReference(Pod({ metadata, spec: template.spec }), stored(replicas));
    const { client, object } = await reconcileOnce(pods, { objects: [pod, replicas, deployment] });
    toBeOwnedBy(await client.resource(ReplicaSet).get(metadata))(object ?? pod);
    toBeOwnedBy(await client.resource(Deployment).get(metadata))(await client.resource(ReplicaSet).get(metadata));
  });

  it('reports results, events and errors, and applies faults', async () => {
    const flaky = controller({
      for: Shop,
      reconcile: async (_object, ctx) => {
        await ctx.apply(ConfigMap({ metadata: { name: 'one' } }));
        ctx.events.record({ reason: 'Opened', note: 'the shop is open' });
        return { requeueAfterMs: 60_000 };
      },
    });
    const { events, result } = await reconcileOnce(flaky, { objects: [shop] });
    toHaveEvent({ type: 'Normal', reason: 'Opened' })(events);
    expect(result).toEqual({ requeueAfterMs: 60_000 });
    const faults = new Faults();
    faults.conflict({ verb: 'apply', kind: 'ConfigMap' });
    await expect(reconcileOnce(flaky, { objects: [shop], faults })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(faults.pending).toEqual([]);
  });

  it('runs on the clock of the test', async () => {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1));
    const times: number[] = [];
    const timed = controller({
      for: Shop,
      reconcile: async (_object, ctx) => void times.push(ctx.clock.now()),
    });
    const { again } = await reconcileOnce(timed, { objects: [shop], now: clock });
    await advance(clock, '24h');
    await again();
    expect(times).toEqual([Date.UTC(2030, 0, 1), Date.UTC(2030, 0, 2)]);
  });

  it('runs at the time of a running cluster', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    const ages: number[] = [];
    const observer = controller({
      for: ConfigMap,
      reconcile: async ({ metadata }, ctx) => void ages.push(ctx.clock.now() - Date.parse(metadata.creationTimestamp)),
    });
    const object = ConfigMap({ metadata: { name: 'one', namespace: 'default' } });
    const { again } = await reconcileOnce(observer, { client: environment.client, object });
    await again();
    expect(ages.map((age) => age >= 0 && age < 60_000)).toEqual([true, true]);
    const key = { name: 'one', namespace: 'default' };
    await reconcileOnce(observer, { client: environment.client, object: key, now: '2030-01-01T00:00:00Z' });
    expect(ages.at(-1)).toBeGreaterThan(60_000);
  });

  it('validates and defaults built-in kinds as the API server does', async () => {
    const pods = controller({ for: Pod, reconcile: async () => undefined });
    const pod = Pod({
      metadata: { name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'a', image: 'b' }] },
    });
    const { object } = await reconcileOnce(pods, { objects: [pod] });
    expect(object?.spec?.restartPolicy).toBe('Always');
    const invalid = Pod({ metadata: { name: 'web', namespace: 'shop' }, spec: { containers: [] } });
    await expect(reconcileOnce(pods, { objects: [invalid] })).rejects.toMatchObject({ reason: 'Invalid' });
  });

  it('reconciles a key that does not exist', async () => {
    const { writes, object } = await reconcileOnce(shops, { objects: [shop], key: { namespace: 'gone', name: 'x' } });
    expect([writes, object]).toEqual([[], undefined]);
  });

  it('names an object that cannot be part of the world', async () => {
    const Other = defineKind<{ readonly a: number }>({ group: 'other.example.com', version: 'v1', kind: 'Other' });
    const other = Other({ metadata: { name: 'x', namespace: 'shop' }, spec: { a: 1 } });
    await expect(reconcileOnce(shops, { objects: [shop, other] })).rejects.toMatchObject({ code: 'KW8001' });
    await reconcileOnce(shops, { objects: [shop, other], kinds: [Other] });
    const gone = { ...shop, metadata: { ...shop.metadata, deletionTimestamp: '2025-01-01T00:00:00Z' } };
    await expect(reconcileOnce(shops, { objects: [gone] })).rejects.toThrow(/the object has no finalizers/);
    await expect(reconcileOnce(shops, { objects: [shop], now: 'today' })).rejects.toMatchObject({ code: 'KW8001' });
  });
});
