import { VirtualClock } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { NodeFault } from './cluster-nodes.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';

const namespace = 'default';
/** When the node returns, its watches reconnect within 30 s; the other 10 s are for its pods. */
const reconnectSeconds = 40;

describe('A node that fails', () => {
  let clock: VirtualClock;
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  /** Number of running containers. */
  let running: number;

  async function start(): Promise<void> {
    clock = new VirtualClock();
    running = 0;
    const programs = {
      web: async ({ signal }: { readonly signal: AbortSignal }) => {
        running++;
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        running--;
      },
    };
    cluster = await passing(EmbeddedCluster.start({ clock, node: { driver: 'inproc', count: 2, programs } }));
    client = cluster.client();
    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'web', image: 'web' }], terminationGracePeriodSeconds: 1 };
    await client.resource(Deployment).create(
      Deployment({
        metadata: { name: 'web', namespace },
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      }),
    );
    await until(5, async () => (await pods()).some(({ isReady }) => isReady));
  }
  afterEach(() => cluster && passing(cluster.stop()));

  /** Yields to the event loop until all programs have finished their work for the current virtual time. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = (seconds: number) => clock.advance(seconds * 1_000, { afterEach: settle });
  /** Advances the clock until a call has finished. */
  async function passing<T>(call: Promise<T>): Promise<T> {
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    void call.then(done, done);
    while (!isDone) await clock.advance(10, { afterEach: settle });
    return call;
  }
  /** Advances the clock until a condition holds, by at most the given number of seconds. */
  async function until(seconds: number, holds: () => Promise<boolean>): Promise<void> {
    for (let passed = 0; passed < seconds && !(await holds()); passed++) await pass(1);
    expect(await holds()).toBe(true);
  }
  const pods = async () => {
    const { items } = await client.resource(Pod).list({ namespace });
    return items.map(({ metadata, spec, status }) => ({
      uid: metadata.uid,
      node: spec?.nodeName ?? '',
      isReady: status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
      isDeleting: metadata.deletionTimestamp !== undefined,
    }));
  };
  const stateOf = async (name: string) => {
    const { spec, status } = await client.resource(Node).get({ name });
    const taints = (spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
    return { ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status, taints: taints.sort() };
  };

  it.each<NodeFault>(['partitioned', 'stopped', 'killed'])(
    'loses its pods to another node while it is %s, and stops the remaining containers when it returns',
    async (kind) => {
      await start();
      const [before] = await pods();
      const name = before?.node ?? '';
      const fault = await passing(cluster.failNode(name, kind));
      expect(running).toBe(kind === 'killed' ? 0 : 1);
      await pass(30);
      expect(await stateOf(name)).toEqual({ ready: 'True', taints: [] });
      await until(60, async () => (await stateOf(name)).taints.length === 2);
      expect(await stateOf(name)).toEqual({
        ready: 'Unknown',
        taints: ['unreachable:NoExecute', 'unreachable:NoSchedule'],
      });
      expect(await pods()).toEqual([{ ...before, isReady: false }]);
      await until(330, async () => (await pods()).some(({ isReady }) => isReady));
      expect(await pods()).toEqual(
        expect.arrayContaining([
          { ...before, isReady: false, isDeleting: true },
          { uid: expect.any(String), node: expect.not.stringMatching(`^${name}$`), isReady: true, isDeleting: false },
        ]),
      );
      await passing(Promise.resolve(fault[Symbol.asyncDispose]()));
      await until(reconnectSeconds, async () => (await pods()).length === 1);
      await until(reconnectSeconds, async () => (await stateOf(name)).taints.length === 0);
      expect(await stateOf(name)).toEqual({ ready: 'True', taints: [] });
      expect(running).toBe(1);
    },
  );

  it('when it returns, ends pods that were force-deleted in the meantime', async () => {
    await start();
    const [before] = await pods();
    const fault = await cluster.failNode(before?.node ?? '', 'partitioned');
    const { items } = await client.resource(Pod).list({ namespace });
    const name = items[0]?.metadata.name ?? '';
    await client.resource(Pod).delete({ namespace, name }, { gracePeriodSeconds: 0 });
    await pass(5);
    const logs = client.resource(Pod).subresource('log');
    await expect(logs.get({ namespace, name })).rejects.toThrow();
    await fault[Symbol.asyncDispose]();
    await until(
      reconnectSeconds,
      async () => (await pods()).filter(({ isReady }) => isReady).length === 1 && running === 1,
    );
  });

  it('must exist, and cannot fail again before it has recovered', async () => {
    await start();
    await expect(cluster.failNode('other', 'killed')).rejects.toMatchObject({ code: 'KW5507' });
    await cluster.failNode('kubewright', 'stopped');
    await expect(cluster.failNode('kubewright', 'killed')).rejects.toThrow('the node is already stopped');
  });
});
