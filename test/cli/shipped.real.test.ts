import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

vi.setConfig({ testTimeout: 240_000 });

const { KUBECONFIG = '' } = process.env;

/** Runs kubectl against the cluster of `KUBECONFIG`. */
function kubectl(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('kubectl', args, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function ask(...args: readonly string[]): string {
  const { status, stdout, stderr } = kubectl(...args);
  if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

// `npm run proof` runs this against the real control plane: USE_EXISTING_CLUSTER=true KUBECONFIG=…
describe('the output of kubewright build, on a real cluster', () => {
  let kubewright: CommandLine;
  let real: CliProject;
  let operator: ChildProcess | undefined;
  let log = '';
  beforeAll(async () => {
    await build();
    kubewright = await CommandLine.build();
    real = await cliProject(kubewright, 'real');
    expect(await real.run('build', '--image', 'registry.example.com/real:1')).toMatchObject({ code: 0, stderr: '' });
  }, 180_000);
  afterAll(async () => {
    if (operator?.exitCode === null) {
      operator.kill('SIGKILL');
      await once(operator, 'close');
    }
    kubectl('delete', '--ignore-not-found', '--wait=false', '-f', join(real.root, 'dist/install.yaml'));
    kubewright?.[Symbol.dispose]();
  }, 60_000);

  function applySample(): void {
    ask('apply', '--validate=strict', '-f', join(real.root, 'config/samples/real_v1_real.yaml'));
    ask('wait', '--for=condition=Ready', 'real/real-sample', '--timeout=60s');
  }

  it('passes strict validation', () => {
    const file = join(real.root, 'dist/install.yaml');
    const applied = kubectl('apply', '--server-side', '--validate=strict', '-f', file);
    expect(applied).toMatchObject({ status: 0, stderr: '' });
    ask('wait', '--for=condition=Established', 'crd/reals.real.example.com', '--timeout=30s');
  });

  it('creates a pod that the restricted level of pod security admits', async () => {
    const list = () => ask('-n', 'real-system', 'get', 'pods', '-o', 'name');
    await expect.poll(list, { timeout: 60_000 }).toMatch(/^pod\/real-controller-manager-/);
    // Proves that the level is enforced: a pod that violates it is rejected.
    const other = kubectl('-n', 'real-system', 'run', 'other', '--image=registry.example.com/other:1');
    expect(other.stderr).toContain('violates PodSecurity "restricted:latest"');
  });

  it('runs an operator that reconciles with the rights of its account', async () => {
    const server = ask('config', 'view', '--minify', '--raw', '-o', 'jsonpath={.clusters[0].cluster.server}');
    const token = ask('-n', 'real-system', 'create', 'token', 'real-controller-manager', '--duration=10m');
    const kubeconfig = join(real.root, 'account.kubeconfig');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'it', cluster: { server, 'insecure-skip-tls-verify': true } }],
        users: [{ name: 'it', user: { token } }],
        contexts: [{ name: 'it', context: { cluster: 'it', user: 'it', namespace: 'real-system' } }],
        'current-context': 'it',
      }),
      { mode: 0o600 },
    );
    const flags = ['--leader-elect', '--metrics-bind-address=0', '--health-probe-bind-address=0'];
    operator = spawn(process.execPath, [join(real.root, 'dist/main.mjs'), '--kubeconfig', kubeconfig, ...flags], {
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [operator.stdout, operator.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (log += text));
    applySample();
    expect(ask('get', 'configmap', 'real-sample-real-message', '-o', 'jsonpath={.data.message}')).toBe('hello');
    // Reads the log while kubectl is not blocking this process.
    await expect.poll(() => log, { timeout: 30_000 }).toContain('successfully acquired lease');
    expect(log).not.toMatch(/forbidden|cannot/i);
  });

  it('is removed by uninstall and undeploy', async () => {
    const cluster = ['--kubeconfig', KUBECONFIG];
    const child = () => kubectl('get', 'configmap', 'real-sample-real-message').status;
    // uninstall must wait for the garbage collector, which discovers kinds only every 30 seconds. If a kind is removed
    // before its discovery, its objects' children are never collected.
    expect(await real.run('uninstall', ...cluster)).toMatchObject({ code: 0, stderr: '' });
    expect(child()).toBe(1);
    operator?.kill('SIGTERM');
    if (operator) await once(operator, 'close');
    expect(await real.run('undeploy', ...cluster)).toMatchObject({ code: 0, stderr: '' });
    const left = () =>
      ask('get', 'namespaces,clusterroles,clusterrolebindings,crds', '-o', 'name')
        .split('\n')
        .filter((name) => /\/real-|\.real\.example\.com$/.test(name));
    await expect.poll(left, { timeout: 90_000 }).toEqual([]);
  });
});
