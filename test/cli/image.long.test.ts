import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock, systemRandom as random } from '@kubewright/apimachinery';
import { applyManifests, EmbeddedCluster } from '@kubewright/controlplane';
import { defineKind, silentLogger as log } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

vi.setConfig({ testTimeout: 180_000 });

/** A UID without a user account: images must run as any UID that the cluster assigns. */
const someUid = 1_234_567;
const megabyte = 1_000_000;
const many = 10_000;

interface Manager {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

const Attic = defineKind<{ readonly message: string }>({ group: 'attic.example.com', version: 'v1', kind: 'Attic' });
const folder = mkdtempSync(join(tmpdir(), 'kw-image-'));
let kubewright: CommandLine;
let attic: CliProject;
let cluster: EmbeddedCluster;
let manager: Manager;

beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  attic = await cliProject(kubewright, 'attic');
  expect(await attic.run('build')).toMatchObject({ code: 0, stderr: '' });
  cluster = await EmbeddedCluster.start({ directory: join(folder, 'cluster'), clock, random, log });
  const files = [join(attic.root, 'config/crd/bases/attic.example.com_attics.yaml')];
  await applyManifests(cluster.client(), { files, fieldManager: 'test' });
  const deployment = parseAllDocuments(attic.read('dist/install.yaml'))
    .map((document) => document.toJS())
    .find(({ kind }) => kind === 'Deployment');
  manager = deployment.spec.template.spec.containers[0];
}, 180_000);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  kubewright?.[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs the contents of the image as in a container: in a read-only folder, without a home folder, with an empty PATH
 * and only the Deployment's environment, and as a UID without a user account.
 */
async function container(...more: readonly string[]) {
  const image = mkdtempSync(join(tmpdir(), 'kw-app-'));
  for (const name of ['main.mjs', 'main.mjs.map']) copyFileSync(join(attic.root, 'dist', name), join(image, name));
  // A kubeconfig replaces the service account's files, whose location cannot be changed.
  writeFileSync(join(image, 'kubeconfig'), readFileSync(cluster.kubeconfig));
  for (const name of ['main.mjs', 'main.mjs.map', 'kubeconfig']) chmodSync(join(image, name), 0o444);
  chmodSync(image, 0o555);
  const [health, metrics] = [await freePort(), await freePort()];
  const args = manager.args.map((arg) =>
    arg.replace(':8081', `127.0.0.1:${health}`).replace(':8443', `127.0.0.1:${metrics}`),
  );
  const isRoot = process.getuid?.() === 0;
  const here = ['--kubeconfig', join(image, 'kubeconfig'), '--leader-elect=false'];
  const child = spawn(process.execPath, [join(image, 'main.mjs'), ...args, ...here, ...more], {
    cwd: image,
    env: {
      PATH: '',
      NODE_ENV: 'production',
      ...Object.fromEntries(manager.env.map(({ name, value }) => [name, value])),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: someUid, gid: 0 }),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const status = (field: string): string | undefined =>
    new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  const get = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  return {
    status,
    residentBytes: () => Number(status('VmRSS')) * 1024,
    exitCode: () => child.exitCode,
    state: async () => {
      const isReady = await get(health, '/readyz').then(
        ({ ok }) => ok,
        () => false,
      );
      return isReady ? 'ready' : `${child.exitCode} ${said}`;
    },
    metrics: async () => (await get(metrics, '/metrics')).text(),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(image, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number }; // a TCP server's
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Not covered: how a builder processes the Dockerfile, and what an image's file system lacks. Linux only, because the
// test reads /proc.
describe.runIf(process.platform === 'linux')('the contents of the image', () => {
  it('run as any user in 75 MB when idle, without a shell, a home or a writable folder', async () => {
    await using operator = await container();
    await expect.poll(operator.state, { timeout: 30_000 }).toBe('ready');
    if (process.getuid?.() === 0) expect(operator.status('Uid')).toBe(String(someUid));
    await expect.poll(operator.residentBytes, { timeout: 30_000 }).toBeLessThanOrEqual(75 * megabyte);
  });

  it('hold a cache of 10,000 objects in 160 MB, well below the limit', async () => {
    attic.edit('src/controllers/attic.ts', () => cachingController);
    // The scaffolded test is for the scaffolded controller.
    attic.edit('src/controllers/attic.test.ts', () => 'export {};\n');
    expect(await attic.run('build')).toMatchObject({ code: 0, stderr: '' });
    const attics = cluster.client().resource(Attic);
    const create = (index: number) =>
      attics.create({
        apiVersion: 'attic.example.com/v1',
        kind: 'Attic',
        metadata: { name: `a-${index}`, namespace: 'default' },
        spec: { message: 'm'.repeat(1_000) },
      });
    for (let i = 0; i < many; i += 50) await Promise.all(Array.from({ length: 50 }, (_, j) => create(i + j)));
    await using operator = await container('--metrics-secure=false');
    const cached = async () => /^kubewright_cache_objects\{kind="Attic"\} (\d+)$/m.exec(await operator.metrics())?.[1];
    await expect.poll(cached, { timeout: 60_000, interval: 500 }).toBe(String(many));
    await expect.poll(operator.residentBytes, { timeout: 30_000 }).toBeLessThanOrEqual(160 * megabyte);
    expect(160 * megabyte).toBeLessThan(Number.parseInt(manager.resources.limits.memory, 10) * 2 ** 20);
    expect(operator.exitCode()).toBe(null);
  });
});

const cachingController = `import { controller } from '@kubewright/runtime';
import { Attic } from '../api/v1/attic.ts';

export const attic = controller({ for: Attic, reconcile: async () => undefined });
`;
