import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Hop } from '../../packages/cli/src/trace/hops.ts';
import { RealNodes } from '../environment/real-nodes.ts';
import { CommandLine } from './command-line.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { KUBECONFIG: kubeconfig = '' } = process.env;
const namespace = 'traced';

/** Runs kubectl in the namespace of this test, while the nodes keep running in this process. */
async function kubectl(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('kubectl', ['-n', namespace, ...args])).stdout.trim();
}

// `npm run proof` runs this against the real control plane, with this project's nodes: USE_EXISTING_CLUSTER=true
// KUBECONFIG=…
describe('kubewright trace on a real control plane', () => {
  let kubewright: CommandLine;
  let nodes: RealNodes;
  beforeAll(async () => {
    kubewright = await CommandLine.build();
    const imageFile = join(kubewright.folder, 'images.json');
    writeFileSync(imageFile, '{}');
    nodes = await RealNodes.start({ kubeconfig, count: 1, imageFile });
    await kubectl('create', 'namespace', namespace);
    const needed = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
    await vi.waitFor(() => kubectl('get', ...needed), { timeout: 30_000 });
  });
  afterEach(() => kubewright.stopAll());
  afterAll(async () => {
    await kubectl('delete', 'deployments', '--all', '--cascade=foreground', '--timeout=30s');
    await kubectl('delete', 'namespace', namespace, '--wait=false');
    await nodes?.[Symbol.asyncDispose]();
    kubewright?.[Symbol.dispose]();
  });

  const flags = ['-n', namespace, '--kubeconfig', kubeconfig, '--steps', '--json'];
  const pause = ['--image', 'pause:1'];

  it('shows each step from the request of kubectl to the status of the Deployment', async () => {
    await kubectl('create', 'deployment', 'web', ...pause);
    await kubectl('rollout', 'status', 'deployment', 'web', '--timeout', '60s');
    const started = () => kubectl('get', 'events', '--field-selector', 'reason=Started', '-o', 'name');
    await expect.poll(started, { timeout: 30_000 }).not.toBe('');
    const { stdout, stderr, code } = await kubewright.run(['trace', 'deployment/web', ...flags]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const { hops } = JSON.parse(stdout) as { readonly hops: readonly Hop[] };
    const shown = hops.map(({ step, component, object, what }) =>
      [step, component, object.split(' ')[0], what.replace(/:.*| to .*/, '')].join(' '),
    );
    // Times are in whole seconds, so rows of different steps can have the same time. Compares the rows regardless of
    // their order.
    expect(shown.toSorted()).toEqual(
      [
        '1-3 kubectl-create Deployment created',
        '4 deployment-controller Deployment ScalingReplicaSet',
        '4 kube-controller-manager Pod created',
        '4 kube-controller-manager ReplicaSet created',
        '4 replicaset-controller ReplicaSet SuccessfulCreate',
        '5-6 default-scheduler Pod Scheduled',
        '7-8 default-scheduler Pod bound',
        '9-10 kubelet Pod Created',
        '9-10 kubelet Pod Pulled',
        '9-10 kubelet Pod Pulling',
        '9-10 kubelet Pod Started',
        '11-12 kubelet Pod status',
        '13 kube-controller-manager Deployment status',
        '13 kube-controller-manager ReplicaSet status',
      ].toSorted(),
    );
    const [request] = hops;
    expect(request).toMatchObject({ what: 'created', step: '1-3', object: 'Deployment web' });
    const version = await kubectl('get', 'deployment', 'web', '-o', 'jsonpath={.metadata.resourceVersion}');
    expect(hops.at(-1)).toMatchObject({ object: 'Deployment web', resourceVersion: version });
  });

  it('follows a workload by watches until it is ready', async () => {
    const manifest = join(kubewright.folder, 'later.json');
    const created = await kubectl('create', 'deployment', 'later', ...pause, '--dry-run=client', '-o', 'json');
    const later = JSON.parse(created) as { readonly spec: object };
    writeFileSync(manifest, JSON.stringify({ ...later, spec: { ...later.spec, paused: true } }));
    await kubectl('create', '-f', manifest);
    const following = kubewright.start(['trace', 'deployment/later', '--follow', ...flags]);
    await expect.poll(following.stdout, { timeout: 30_000 }).toContain('found: ');
    await kubectl('rollout', 'resume', 'deployment', 'later');
    expect(await following.ended).toBe(0);
    const hops = following
      .stdout()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly hop: Hop }).hop);
    const bound = hops.find(({ what }) => what === 'bound to node-1');
    expect(bound).toMatchObject({ step: '7-8', resourceVersion: expect.stringMatching(/^\d+$/) });
    const steps = new Set(hops.flatMap(({ step = [] }) => step));
    expect(steps).toEqual(new Set(['1-3', '4', '5-6', '7-8', '9-10', '11-12', '13']));
    expect(hops.at(-1)?.what).toMatch(/^status: 1 of 1 ready/);
  });

  it('shows a pod that cannot be scheduled', async () => {
    const overrides = { spec: { nodeSelector: { disk: 'none' } } };
    await kubectl('run', 'nowhere', ...pause, '--overrides', JSON.stringify(overrides));
    const reports = () => kubectl('get', 'events', '--field-selector', 'reason=FailedScheduling', '-o', 'name');
    await expect.poll(reports, { timeout: 30_000 }).not.toBe('');
    const { stdout } = await kubewright.run(['trace', 'pod/nowhere', ...flags]);
    const { hops } = JSON.parse(stdout) as { readonly hops: readonly Hop[] };
    expect(hops.map(({ step, component, what }) => [step, component, what.split(' ')[0]].join(' '))).toEqual([
      '1-3 kubectl-run created',
      '5-6 default-scheduler FailedScheduling:',
      '5-6 kube-scheduler status:',
    ]);
    await kubectl('delete', 'pod', 'nowhere', '--now');
  });
});
