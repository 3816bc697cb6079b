import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound, type KubernetesObject } from '@kubewright/apimachinery';
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '@kubewright/apimachinery/admissionregistration/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine, type Started } from './command-line.ts';
import { blocks, expectServed, rejection, shopsOf, webhookProject } from './webhook-page.ts';

// Each test starts a compiler, a bundler, a cluster and an operator.
vi.setConfig({ testTimeout: 240_000 });

let kubewright: CommandLine;
let root: string;
const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });

beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  root = await webhookProject(kubewright);
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

async function connect(): Promise<KubernetesClient> {
  return clientFromConfig(await loadClientConfig({ kubeconfig: join(root, '.kubewright', 'kubeconfig') }));
}

describe('the page about webhooks', () => {
  it('has files that compile and tests that pass', async () => {
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

  it('calls them without a tunnel or certificates, across restarts, until it stops', async () => {
    dev = kubewright.start(['dev'], { cwd: root });
    await seen('restart');
    await using client = await connect();
    const shops = shopsOf(client);
    // The first request waits for the operator, which is still starting.
    await expectServed(shops, 'dev');
    if (!isMissing('kubectl')) {
      const kubeconfig = join(root, '.kubewright', 'kubeconfig');
      const args = ['--kubeconfig', kubeconfig, 'apply', '-k', 'config/samples'];
      expect(spawnSync('kubectl', args, { cwd: root, encoding: 'utf8' })).toMatchObject({
        stdout: 'shop.web.example.com/shop-sample created\nshop.web.example.com/shop-sample-v1beta1 created\n',
        stderr: '',
      });
    }

    // No request is rejected while the operator restarts.
    edit('src/webhooks/v1/shop-rules.ts', (text) => text.replace('at most 9', 'nine, no more'));
    const answers = new Set<string>();
    const isNew = (): boolean => [...answers].some((answer) => answer.includes('nine, no more'));
    for (let turn = 0; turn < 2_000 && !isNew(); turn++)
      answers.add(
        (await rejection(shops.create('dev-huge', { owner: 'ann', size: 10 }))).replace(/^.*value: 10: /, ''),
      );
    answers.delete('a shop has room for at most 9');
    expect({ answers: [...answers], received: dev.stderr() }).toEqual({
      answers: ['a shop has room for nine, no more'],
      received: '',
    });

    // Writes while the operator is down fail with a clear message.
    const main = readFileSync(join(root, 'src/main.ts'), 'utf8');
    writeFileSync(join(root, 'src/main.ts'), `throw new Error('not today');\n`);
    await expect.poll(dev.stderr, { timeout: 60_000 }).toContain('KW7502');
    expect(await rejection(shops.create('dev-down', { owner: 'ann' }))).toMatch(
      /failed calling webhook "mshop-v1\.kb\.io": failed to call webhook: KW7310 the operator is down: it exited with code 1; fix the error that kubewright dev shows/,
    );
    writeFileSync(join(root, 'src/main.ts'), main);
    await expect
      .poll(() => rejection(shops.create('dev-again', { owner: 'ann' })), { timeout: 60_000 })
      .toMatch(/^$|already exists/);

    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    expect(dev.stdout()).toMatch(/✓ stopped\n$/);
    expect(existsSync(join(root, '.kubewright/dev/webhooks'))).toBe(false);
  });
});

describe('kubewright deploy, with webhooks', () => {
  const gone = async (read: Promise<KubernetesObject>): Promise<boolean> => read.then(() => false, isNotFound);

  it('calls them through their Service, and leaves nothing that rejects writes', async () => {
    expect(await run('build', '--load', 'shop:dev')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
    try {
      await using client = await connect();
      const shops = shopsOf(client);
      const mutating = () =>
        client.resource(MutatingWebhookConfiguration).get({ name: 'shop-mutating-webhook-configuration' });
      const validating = () =>
        client.resource(ValidatingWebhookConfiguration).get({ name: 'shop-validating-webhook-configuration' });
      // The configurations that dev registered are deleted, so no webhook is called.
      expect(await gone(mutating())).toBe(true);
      expect(await gone(validating())).toBe(true);

      const deployed = await run('deploy', '--image', 'shop:dev', '--timeout', '110');
      expect(deployed).toMatchObject({ code: 0, stderr: '' });
      expect(deployed.stdout).toContain('✓ webhooks reachable   3 configurations\n');
      await expectServed(shops, 'deployed');
      const { clientConfig } = (await mutating()).webhooks?.[0] ?? {};
      expect(clientConfig?.service).toMatchObject({ namespace: 'shop-system', name: 'shop-webhook-service' });

      // Deploying again without changes keeps the CA bundle that the operator wrote.
      expect(await run('deploy', '--image', 'shop:dev')).toMatchObject({ code: 0, stderr: '' });
      expect((await mutating()).webhooks?.[0]?.clientConfig).toEqual(clientConfig);
      await expectServed(shops, 'again');

      const { stdout } = await run('undeploy');
      expect(stdout).toMatch(/✓ operator removed/);
      expect(stdout).toContain('! no conversion        shops.web.example.com: only the storage version can be used');
      expect(await gone(mutating())).toBe(true);
      expect(await gone(validating())).toBe(true);
      expect(await rejection(shops.create('free', { owner: 'ann', size: 10 }))).toBe('');
      expect(await rejection(shops.createOld('lost', 'bob/4'))).toMatch(
        /conversion webhook for web\.example\.com\/v1beta1, Kind=Shop failed: .*service "shop-webhook-service" not found/,
      );

      // If the operator is run by hand, webhooks are called only while it runs.
      const byHand = kubewright.start(['run', 'src/main.ts', '--', '--health-probe-bind-address=0'], { cwd: root });
      const large = (name: string) => rejection(shops.create(name, { owner: 'ann', size: 10 }));
      await expect.poll(() => large('by-hand'), { timeout: 60_000 }).toContain('at most 9');
      expect((await shops.createOld('by-hand-old', 'bob/4')).spec).toEqual({ what: 'bob/4' });
      byHand.child.kill('SIGINT');
      expect(await byHand.ended).toBe(0);
      expect(await large('free-again')).toBe('');
      expect(await run('uninstall')).toMatchObject({ code: 0, stderr: '' });
      // The kind is deleted, so no object is left whose conversion could fail.
      const again = await run('undeploy');
      expect(again).toMatchObject({ code: 0, stderr: '' });
      expect(again.stdout).not.toMatch(/^!|shops/m);
    } finally {
      await run('cluster', 'down');
    }
  });
});
