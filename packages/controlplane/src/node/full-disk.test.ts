import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Event, Node, Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { startNodeCluster } from './testdata/node-cluster.ts';
import { makeReady } from './testdata/ready-namespace.ts';
import { noSmallDisk, smallDisk } from './testdata/small-disk.ts';

describe('a node with a full disk', () => {
  it('keeps running, reports DiskPressure and recovers', async (context) => {
    using disk = smallDisk('1m');
    if (!disk) return context.skip(noSmallDisk);
    const directory = join(disk.folder, 'node');
    await using cluster = await startNodeCluster(undefined, { temporary: disk.folder, directory });
    const { admin, node } = cluster;
    const namespace = 'default';
    await makeReady(admin, namespace);
    const podOf = (name: string, script: string): Pod =>
      Pod({
        metadata: { name, namespace },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'c', image: 'busybox', command: ['sh', '-c', script] }],
        },
      });
    const pods = admin.resource(Pod);
    // This pod ends and is restarted, so processes start and end while the disk is full.
    await pods.create(podOf('ends', 'echo begun; sleep 0.2'));
    await pods.create(
      podOf('prints', 'i=0; while true; do i=$((i+1)); printf "line $i %01000d\\n" 0; sleep 0.05; done'),
    );
    const phase = (name: string) => async () => (await pods.get({ namespace, name })).status?.phase;
    await expect.poll(phase('prints'), { timeout: 30_000 }).toBe('Running');
    await expect.poll(phase('ends'), { timeout: 30_000 }).toBe('Running');
    const condition = async () => {
      const found = (await admin.resource(Node).get({ name: 'kw' })).status?.conditions ?? [];
      const { status, reason, message } = found.find(({ type }) => type === 'DiskPressure') ?? {};
      return { status, reason, message };
    };
    const taints = async () =>
      (await admin.resource(Node).get({ name: 'kw' })).spec?.taints?.map(({ key }) => key) ?? [];
    const logOf = async (name: string): Promise<string> => {
      const options = { container: 'c', follow: false, previous: false, timestamps: false };
      const signal = new AbortController().signal;
      const pieces = await node.connector.logs(await pods.get({ namespace, name }), { ...options, signal });
      let text = '';
      for await (const piece of pieces) text += Buffer.from(piece).toString('utf8');
      return text;
    };
    const restarts = async () => {
      const { status } = await pods.get({ namespace, name: 'ends' });
      return status?.containerStatuses?.[0]?.restartCount ?? 0;
    };

    const ballast = join(disk.folder, 'ballast');
    expect(() => writeFileSync(ballast, Buffer.alloc(4_000_000))).toThrow('ENOSPC');
    await expect.poll(condition, { timeout: 30_000 }).toEqual({
      status: 'True',
      reason: 'KubeletHasDiskPressure',
      message: 'kubelet has disk pressure',
    });
    await expect.poll(taints, { timeout: 30_000 }).toContain('node.kubernetes.io/disk-pressure');
    const seen = async () => {
      const { items } = await admin.resource(Event).list({ namespace });
      return items.map(({ reason, message }) => `${reason}: ${message}`);
    };
    const why = /^LogLinesDropped: Failed to write the log of container c, dropping lines: ENOSPC/;
    await expect.poll(seen, { timeout: 30_000 }).toContainEqual(expect.stringMatching(why));
    const before = await restarts();
    await expect.poll(restarts, { timeout: 30_000 }).toBeGreaterThan(before);

    rmSync(ballast);
    await expect.poll(condition, { timeout: 30_000 }).toEqual({
      status: 'False',
      reason: 'KubeletHasNoDiskPressure',
      message: 'kubelet has no disk pressure',
    });
    await expect.poll(taints, { timeout: 30_000 }).not.toContain('node.kubernetes.io/disk-pressure');
    await expect
      .poll(() => logOf('prints'), { timeout: 30_000 })
      .toMatch(/line \d+ .*\n\[kubewright\] \d+ lines? (was|were) dropped here: .*ENOSPC.*\nline \d+ /);
    const nodeEvents = ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'];
    for (const reason of nodeEvents) {
      await expect.poll(seen, { timeout: 30_000 }).toContain(`${reason}: Node kw status is now: ${reason}`);
    }
    return undefined;
  }, 90_000);
});
