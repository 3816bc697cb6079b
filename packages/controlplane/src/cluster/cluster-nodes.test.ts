import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Node, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kw-nodes-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const start = (node: { readonly count: number; readonly driver: 'process' | 'simulated' }) =>
  EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log: silentLogger, node });

/** Waits until the scheduler can choose among `count` nodes. */
async function areReady(cluster: EmbeddedCluster, count: number): Promise<void> {
  const ready = async () => {
    const { items } = await cluster.client().resource(Node).list();
    const isReady = ({ status, spec }: Node) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') && !spec?.taints?.length;
    return items.filter(isReady).length;
  };
  await expect.poll(ready, { timeout: 30_000 }).toBe(count);
}

async function runPods(cluster: EmbeddedCluster, count: number): Promise<readonly string[]> {
  const pods = cluster.client().resource(Pod);
  for (let i = 0; i < count; i++) {
    const spec = { containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', 'echo hello; sleep 100'] }] };
    await pods.create(Pod({ metadata: { name: `p${i}`, namespace: 'default' }, spec }));
  }
  const running = async () => (await pods.list({ namespace: 'default' })).items.filter((pod) => pod.status?.podIP);
  await expect.poll(async () => (await running()).length, { timeout: 30_000 }).toBe(count);
  return (await running()).map(({ spec }) => spec?.nodeName ?? '');
}

describe('nodes of an embedded cluster', () => {
  it('match the requested count, share the pods and have distinct addresses', async () => {
    await using cluster = await start({ count: 3, driver: 'simulated' });
    const list = async () => (await cluster.client().resource(Node).list()).items;
    const names = async () => (await list()).map(({ metadata }) => metadata.name);
    await expect.poll(names).toEqual(['kubewright', 'kubewright-2', 'kubewright-3']);
    await areReady(cluster, 3);
    const nodes = await list();
    const addresses = nodes.map(({ status }) => status?.addresses?.[0]?.address);
    expect(new Set(addresses).size).toBe(3);
    const used = await runPods(cluster, 6);
    expect(new Set(used).size).toBe(3);
    const ips = (await cluster.client().resource(Pod).list({ namespace: 'default' })).items.map((p) => p.status?.podIP);
    expect(new Set(ips).size).toBe(6);
  });

  it("run local processes side by side and route each request to the pod's node", async () => {
    await using cluster = await start({ count: 2, driver: 'process' });
    await areReady(cluster, 2);
    // Eight pods are enough for both nodes to get some. The first node already runs the control plane's pods.
    const used = await runPods(cluster, 8);
    expect([...new Set(used)].sort()).toEqual(['kubewright', 'kubewright-2']);
    for (const name of [used.indexOf('kubewright'), used.indexOf('kubewright-2')].map((i) => `p${i}`)) {
      const log = async () => {
        const { body } = await cluster.client().stream({ path: `/api/v1/namespaces/default/pods/${name}/log` });
        let text = '';
        for await (const chunk of body) text += Buffer.from(chunk).toString('utf8');
        return text;
      };
      await expect.poll(log, { timeout: 30_000 }).toContain('hello\n');
    }
  });

  it("let pods on different nodes read each other's private files in a shared claim", async (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root can run pods as different users');
    await using cluster = await start({ count: 2, driver: 'process' });
    await areReady(cluster, 2);
    const client = cluster.client();
    const namespace = 'default';
    await client.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name: 'shared', namespace },
        spec: { accessModes: ['ReadWriteMany'], resources: { requests: { storage: '1Gi' } } },
      }),
    );
    const run = async (name: string, { nodeName, line }: { readonly nodeName: string; readonly line: string }) => {
      const volumeMounts = [{ name: 'data', mountPath: '/data' }];
      await client.resource(Pod).create(
        Pod({
          metadata: { name, namespace },
          spec: {
            nodeSelector: { 'kubernetes.io/hostname': nodeName },
            restartPolicy: 'Never',
            containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', `umask 077; ${line}`], volumeMounts }],
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'shared' } }],
          },
        }),
      );
    };
    const phaseOf = async (name: string) => (await client.resource(Pod).get({ namespace, name })).status?.phase;
    const wait = (file: string) => `until test -e /data/${file}; do sleep 0.1; done`;
    // The first pod still runs when the second one mounts the claim.
    await run('first', {
      nodeName: 'kubewright',
      line: `echo one > /data/first; ${wait('second')}; echo two >> /data/first && cat /data/second`,
    });
    await expect.poll(() => phaseOf('first'), { timeout: 30_000 }).toBe('Running');
    await run('second', {
      nodeName: 'kubewright-2',
      line: `${wait('first')}; cp /data/first /data/.second && mv /data/.second /data/second`,
    });
    await expect.poll(() => phaseOf('second'), { timeout: 30_000 }).toBe('Succeeded');
    await expect.poll(() => phaseOf('first'), { timeout: 30_000 }).toBe('Succeeded');
    return undefined;
  });
});
