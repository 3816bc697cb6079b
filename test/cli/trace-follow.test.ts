import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Hop } from '../../packages/cli/src/trace/hops.ts';
import { FaultProxy } from '../runtime/fault-proxy.ts';
import { CommandLine, type Started } from './command-line.ts';

const namespace = 'default';
const patience = { timeout: 50_000, interval: 50 };
const containers = [{ name: 'web', image: 'nginx' }];

let cluster: EmbeddedCluster;
let proxy: FaultProxy;
let kubewright: CommandLine;
let kubeconfig: string;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
  const { port } = new URL(cluster.url);
  proxy = await FaultProxy.to(Number(port));
  kubewright = await CommandLine.build();
  kubeconfig = join(kubewright.folder, 'kubeconfig');
  writeFileSync(kubeconfig, readFileSync(cluster.kubeconfig, 'utf8').replace(`:${port}`, `:${proxy.port}`));
}, 60_000);
afterEach(() => kubewright.stopAll());
afterAll(async () => {
  kubewright?.[Symbol.dispose]();
  await proxy?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

/** Starts following a waiting workload, and returns once the command has found the workload. */
async function follow(workload: string, ...flags: readonly string[]): Promise<Started> {
  const started = kubewright.start(['trace', workload, '--follow', '--kubeconfig', kubeconfig, ...flags]);
  await expect.poll(started.stdout, patience).toContain('found: ');
  return started;
}

/** Creates a pod that waits for its scheduling gate. */
async function createGatedPod(name: string): Promise<void> {
  const spec = { containers, schedulingGates: [{ name: 'example.com/test' }] };
  await cluster
    .client()
    .resource(Pod)
    .create(Pod({ metadata: { name, namespace }, spec }));
}

describe('kubewright trace --follow', { timeout: 60_000 }, () => {
  it('prints a record of each version until the workload is ready', async () => {
    const matchLabels = { app: 'web' };
    const template = { metadata: { labels: matchLabels }, spec: { containers } };
    const spec = { paused: true, selector: { matchLabels }, template };
    const deployments = cluster.client().resource(Deployment);
    await deployments.create(Deployment({ metadata: { name: 'web', namespace }, spec }));
    const following = await follow('deployment/web', '--steps', '--json');
    await deployments.patch({ namespace, name: 'web' }, { type: 'merge', body: { spec: { paused: false } } });
    expect(await following.ended).toBe(0);

    const records = following.stdout().trimEnd().split('\n');
    const hops = records.map((line): Hop => JSON.parse(line).hop);
    const of = (kind: string) => hops.filter(({ object }) => object.startsWith(`${kind} web`));
    expect(of('Deployment')[0]?.what).toBe('found: 0 of 1 ready');
    // The paused Deployment already existed, so only steps 1 to 13 follow.
    expect(new Set(hops.flatMap(({ step = [] }) => step))).toEqual(
      new Set(['1-3', '4', '5-6', '7-8', '9-10', '11-12', '13']),
    );
    expect(of('ReplicaSet')[0]).toMatchObject({ component: 'kube-controller-manager', what: 'created' });
    const bound = of('Pod').find(({ what }) => what === 'bound to kubewright');
    expect(bound).toMatchObject({
      step: '7-8',
      component: 'default-scheduler',
      resourceVersion: expect.stringMatching(/^\d+$/),
    });
    expect(of('Pod').map(({ what }) => what)).toContain('status: Running, 1 of 1 containers ready');
    const versions = of('Deployment').filter(({ what }) => /^(found|status|updated)/.test(what));
    expect(versions.at(-1)?.what).toMatch(/^status: 1 of 1 ready/);
    const order = versions.map(({ resourceVersion }) => Number(resourceVersion));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('prints the versions that were written while the connection was down', async () => {
    await createGatedPod('late');
    const following = await follow('pod/late');
    await proxy.close();
    await expect.poll(following.stdout, patience).toContain('retrying\n');
    const body = { spec: { schedulingGates: null } };
    await cluster.client().resource(Pod).patch({ namespace, name: 'late' }, { type: 'merge', body });
    await proxy.reopen();
    expect(await following.ended).toBe(0);

    const rows = following.stdout().split('\n');
    expect(rows[0]).toMatch(/^TIME +COMPONENT +OBJECT +VERSION +WHAT$/);
    expect(rows[1]).toMatch(/ Pod late +\d+ +found: Pending, 0 of 0 containers ready$/);
    expect(rows.find((row) => row.startsWith('!'))).toMatch(
      /^! watch interrupted +cannot reach the API server: .+; retrying$/,
    );
    expect(following.stdout()).toMatch(/ default-scheduler +Pod late +\d+ +bound to kubewright\n/);
    expect(following.stdout()).toMatch(/ kubelet +Pod late +\d+ +status: Running, 1 of 1 containers ready\n/);
  });

  it('stops with exit code 130 when Ctrl-C is pressed', async () => {
    await createGatedPod('waiting');
    const following = await follow('pod/waiting');
    following.child.kill('SIGINT');
    expect(await following.ended).toBe(130);
    expect(following.stderr()).toBe('');
  });

  it('fails if it cannot reach the cluster at first', async () => {
    await proxy.close();
    const { code, stderr } = await kubewright.run(['trace', 'pod/web', '--follow', '--kubeconfig', kubeconfig]);
    await proxy.reopen();
    expect(code).toBe(3);
    expect(stderr).toContain('cannot reach the API server');
  });
});
