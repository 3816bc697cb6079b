import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Namespace, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandLine } from '../cli/command-line.ts';

const run = promisify(execFile);

let kubewright: CommandLine;
let assets: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  kubewright = await CommandLine.build();
  const env = { XDG_CACHE_HOME: join(kubewright.folder, 'cache') };
  assets = (await kubewright.run(['cluster', 'assets'], { env })).stdout.trim();
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  kubewright?.[Symbol.dispose]();
});

const program = (name: string): string => join(assets, name);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await expect.poll(() => server.listening).toBe(true);
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('the folder of cluster assets', () => {
  it('has the programs of envtest, and lists their flags', async () => {
    expect(readdirSync(assets).sort()).toEqual(['etcd', 'kube-apiserver', 'kubectl']);
    const help = async (name: string) => (await run(program(name), ['--help'])).stdout;
    // envtest uses these patterns to detect which flags a program supports.
    expect(await help('etcd')).toMatch(/^\s*--unsafe-no-fsync\b/m);
    expect(await help('kube-apiserver')).not.toMatch(/^\s*--insecure-port\b/m);
    expect((await run(program('kube-apiserver'), ['--version'])).stdout).toMatch(/^Kubernetes v1\.36\./);
  });

  it('rejects a flag that kube-apiserver does not have', async () => {
    const failed = run(program('kube-apiserver'), ['--insecure-port=0']);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown flag: --insecure-port'),
    });
  });

  it('starts an API server without controllers that uses the flags', async () => {
    await using environment = await TestEnvironment.start({ env: { KUBEBUILDER_ASSETS: assets } });
    const { client } = environment;
    expect(environment.backend).toBe('binaries');
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const pod = await client.resource(Pod).create(Pod({ metadata: { name: 'a', namespace: 'default' }, spec }));
    expect(pod.spec).not.toHaveProperty('serviceAccountName');
    const namespaces = client.resource(Namespace);
    await namespaces.create(Namespace({ metadata: { name: 'stays' } }));
    expect((await client.resource(ServiceAccount).list()).items).toEqual([]);
    expect((await namespaces.delete({ name: 'stays' })).status).toMatchObject({ phase: 'Terminating' });
    expect((await namespaces.get({ name: 'stays' })).spec?.finalizers).toEqual(['kubernetes']);
  });

  it('runs the components of KUBEWRIGHT_COMPONENTS, and stops cleanly on SIGTERM', async () => {
    const temporary = join(kubewright.folder, 'tmp');
    mkdirSync(temporary);
    const port = await freePort();
    const env = { ...process.env, KUBEWRIGHT_COMPONENTS: 'serviceaccount-controller', TMPDIR: temporary };
    const flags = [`--secure-port=${port}`, '--etcd-servers=http://127.0.0.1:1', '--authorization-mode=AlwaysAllow'];
    const child = spawn(program('kube-apiserver'), flags, { env, stdio: ['ignore', 'inherit', 'pipe'] });
    children.push(child);
    const exit = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    const read = async (path: string) => {
      const url = `https://127.0.0.1:${port}${path}`;
      return (await run('curl', ['-sk', url]).catch(() => ({ stdout: '' }))).stdout;
    };
    await expect.poll(() => read('/healthz'), { timeout: 30_000 }).toBe('ok');
    await expect
      .poll(() => read('/api/v1/namespaces/kube-public/serviceaccounts/default'), { timeout: 30_000 })
      .toContain('"kind": "ServiceAccount"');
    expect(readdirSync(temporary)).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    expect(existsSync(temporary)).toBe(true);
  });
});
