import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isNotFound, type KubernetesObject } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { defineKind } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { CommandLine, type Started } from './command-line.ts';

// Compiler, bundler, cluster and operator start in each of them.
vi.setConfig({ testTimeout: 240_000 });

const group = 'web.example.com';
const Shop = defineKind<{ readonly owner: string; readonly size?: number }>({ group, version: 'v1', kind: 'Shop' });
const OldShop = defineKind<{ readonly what: string }>({ group, version: 'v1beta1', kind: 'Shop' });

let kubewright: CommandLine;
let root: string;
const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });

/** The code blocks of the page that name a file. */
const blocks = [
  ...readFileSync(join(repository, 'docs/how-to/webhooks.md'), 'utf8').matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm),
].map(([, path = '', text = '']) => ({ path, text }));

beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  // As the page says, with its files for those that are scaffolded.
  await kubewright.run(['init', 'shop', '--domain', 'example.com', '--template', 'empty']);
  root = join(kubewright.folder, 'shop');
  const of = (version: string) => ['--group', 'web', '--version', version, '--kind', 'Shop'];
  await run('create', 'api', ...of('v1'), '--no-controller');
  await run('create', 'webhook', ...of('v1'), '--defaulting', '--validation');
  await run('create', 'api', ...of('v1beta1'), '--no-controller');
  await run('create', 'webhook', ...of('v1'), '--conversion');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  for (const { path, text } of blocks) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

/** What the API server says of a write, or nothing. */
async function refusal(write: Promise<unknown>): Promise<string> {
  try {
    await write;
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function connect(): Promise<KubernetesClient> {
  return clientFromConfig(await loadClientConfig({ kubeconfig: join(root, '.kubewright', 'kubeconfig') }));
}

/** A user's view of shops. */
function shopsOf(client: KubernetesClient) {
  const metadata = (name: string) => ({ namespace: 'default', name });
  const create = (name: string, spec: { readonly owner: string; readonly size?: number }) =>
    client.resource(Shop).create({ apiVersion: `${group}/v1`, kind: 'Shop', metadata: metadata(name), spec });
  const createOld = (name: string, what: string) =>
    client.resource(OldShop).create({
      ...{ apiVersion: `${group}/v1beta1`, kind: 'Shop', metadata: metadata(name) },
      spec: { what },
    });
  const get = (name: string) => client.resource(Shop).get(metadata(name));
  return { create, createOld, get };
}

type Shops = ReturnType<typeof shopsOf>;

/** Defaults, refuses, converts: everything that the page declares. */
async function expectServed({ create, createOld, get }: Shops, prefix: string): Promise<void> {
  expect((await create(`${prefix}-plain`, { owner: 'ann' })).spec).toEqual({ owner: 'ann', size: 3 });
  expect(await refusal(create(`${prefix}-large`, { owner: 'ann', size: 10 }))).toBe(
    `admission webhook "vshop-v1.kb.io" denied the request: Shop.web.example.com "${prefix}-large" is invalid: spec.size: Invalid value: 10: a shop has room for at most 9`,
  );
  expect((await createOld(`${prefix}-old`, 'bob/4')).spec).toEqual({ what: 'bob/4' });
  expect((await get(`${prefix}-old`)).spec).toEqual({ owner: 'bob', size: 4 });
}

describe('the page on webhooks', () => {
  it('has files that compile, and tests that pass', async () => {
    expect(blocks.length).toBeGreaterThan(5);
    const node = (script: string, ...args: readonly string[]) =>
      spawnSync(process.execPath, [join(repository, 'node_modules', script), ...args], { cwd: root, encoding: 'utf8' });
    expect(node('typescript/bin/tsc').stdout).toBe('');
    expect(node('vitest/vitest.mjs', 'run').status).toBe(0);
    expect(await run('generate')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('kubewright dev, with webhooks', () => {
  let dev: Started;
  const seen = (text: string | RegExp) => expect.poll(dev.stdout, { timeout: 60_000 }).toMatch(text);
  afterAll(() => {
    dev?.child.kill('SIGKILL');
    edit('src/webhooks/v1/shop-rules.ts', (text) => text.replace('nine, no more', 'at most 9'));
  });
  const edit = (path: string, change: (text: string) => string): void =>
    writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8')));

  it('has them called with no tunnel and no certificate, through restarts, until the end', async () => {
    dev = kubewright.start(['dev'], { cwd: root });
    await seen('restart');
    await using client = await connect();
    const shops = shopsOf(client);
    // The first question waits for the operator, which is just starting.
    await expectServed(shops, 'dev');

    // While the operator is another, nobody is refused for it.
    edit('src/webhooks/v1/shop-rules.ts', (text) => text.replace('at most 9', 'nine, no more'));
    const answers = new Set<string>();
    const isNew = (): boolean => [...answers].some((answer) => answer.includes('nine, no more'));
    for (let turn = 0; turn < 2_000 && !isNew(); turn++)
      answers.add((await refusal(shops.create('dev-huge', { owner: 'ann', size: 10 }))).replace(/^.*value: 10: /, ''));
    answers.delete('a shop has room for at most 9');
    expect({ answers: [...answers], told: dev.stderr() }).toEqual({
      answers: ['a shop has room for nine, no more'],
      told: '',
    });

    // Who writes while it is down is told so.
    const main = readFileSync(join(root, 'src/main.ts'), 'utf8');
    writeFileSync(join(root, 'src/main.ts'), `throw new Error('not today');\n`);
    await expect.poll(dev.stderr, { timeout: 60_000 }).toContain('KW7502');
    expect(await refusal(shops.create('dev-down', { owner: 'ann' }))).toMatch(
      /failed calling webhook "mshop-v1\.kb\.io": failed to call webhook: KW7310 the operator is down: it ended by itself with exit code 1; kubewright dev shows more/,
    );
    writeFileSync(join(root, 'src/main.ts'), main);
    await expect
      .poll(() => refusal(shops.create('dev-again', { owner: 'ann' })), { timeout: 60_000 })
      .toMatch(/^$|already exists/);

    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    expect(dev.stdout()).toMatch(/✓ stopped\n$/);
    expect(existsSync(join(root, '.kubewright/dev/webhooks'))).toBe(false);
  });
});

describe('kubewright deploy, with webhooks', () => {
  const gone = async (read: Promise<KubernetesObject>): Promise<boolean> => read.then(() => false, isNotFound);

  it('has them called behind their service, and leaves nothing that refuses writes', async () => {
    expect(await run('build', '--load', 'shop:dev')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
    try {
      await using client = await connect();
      const shops = shopsOf(client);
      const mutating = () =>
        client.resource(MutatingWebhookConfiguration).get({ name: 'shop-mutating-webhook-configuration' });
      const validating = () =>
        client.resource(ValidatingWebhookConfiguration).get({ name: 'shop-validating-webhook-configuration' });
      // What dev had registered is not there any more: nobody is asked.
      expect(await gone(mutating())).toBe(true);
      expect(await gone(validating())).toBe(true);

      const deployed = await run('deploy', '--image', 'shop:dev', '--timeout', '110');
      expect(deployed).toMatchObject({ code: 0, stderr: '' });
      expect(deployed.stdout).toContain('✓ webhooks reachable   3 configurations\n');
      await expectServed(shops, 'deployed');
      const { clientConfig } = (await mutating()).webhooks?.[0] ?? {};
      expect(clientConfig?.service).toMatchObject({ namespace: 'shop-system', name: 'shop-webhook-service' });

      // Applied again as it was, the authority that the operator has written stays.
      expect(await run('deploy', '--image', 'shop:dev')).toMatchObject({ code: 0, stderr: '' });
      expect((await mutating()).webhooks?.[0]?.clientConfig).toEqual(clientConfig);
      await expectServed(shops, 'again');

      const { stdout } = await run('undeploy');
      expect(stdout).toMatch(/✓ operator removed/);
      expect(stdout).toContain('! nobody converts      shops.web.example.com: other versions than the stored one');
      expect(await gone(mutating())).toBe(true);
      expect(await gone(validating())).toBe(true);
      expect(await refusal(shops.create('free', { owner: 'ann', size: 10 }))).toBe('');
      expect(await refusal(shops.createOld('lost', 'bob/4'))).toMatch(
        /conversion webhook for web\.example\.com\/v1beta1, Kind=Shop failed: .*service "shop-webhook-service" not found/,
      );

      // By hand: as long as the program runs, and no longer.
      const byHand = kubewright.start(['run', 'src/main.ts', '--', '--health-probe-bind-address=0'], { cwd: root });
      const large = (name: string) => refusal(shops.create(name, { owner: 'ann', size: 10 }));
      await expect.poll(() => large('by-hand'), { timeout: 60_000 }).toContain('at most 9');
      expect((await shops.createOld('by-hand-old', 'bob/4')).spec).toEqual({ what: 'bob/4' });
      byHand.child.kill('SIGINT');
      expect(await byHand.ended).toBe(0);
      expect(await large('free-again')).toBe('');
      expect(await run('uninstall')).toMatchObject({ code: 0, stderr: '' });
    } finally {
      await run('cluster', 'down');
    }
  });
});
