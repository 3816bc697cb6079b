import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine, type Started } from './command-line.ts';

// Each test starts a compiler, a bundler, a cluster and an operator.
vi.setConfig({ testTimeout: 240_000 });

const Shop = { group: 'shop.example.com', version: 'v1', kind: 'Shop', plural: 'shops', scope: 'Namespaced' } as const;
const controller = 'src/controllers/shop.ts';

let kubewright: CommandLine;
let project: CliProject;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  project = await cliProject(kubewright, 'shop');
  const kind = ['--group', 'shop', '--version', 'v1', '--kind', 'Shop'];
  await project.run('create', 'webhook', ...kind, '--defaulting', '--programmatic-validation');
  project.edit('src/webhooks/v1/shop-defaults.ts', (text) =>
    text.replace('spec: { ...object.spec }', 'spec: { message: object.spec.message.trim() }'),
  );
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

const all = (dev: Started): string => dev.stdout() + dev.stderr();
const seen = (dev: Started, text: string | RegExp) => expect.poll(() => all(dev), { timeout: 60_000 }).toMatch(text);
const restarts = (dev: Started): number => dev.stdout().split('operator restarted').length;

/** Changes the sources and waits until the operator restarts. */
async function restarted(dev: Started, save: () => void): Promise<void> {
  const before = restarts(dev);
  save();
  await expect.poll(() => restarts(dev), { timeout: 30_000 }).toBeGreaterThan(before);
}

/** Captures standard output from now on. */
function from(dev: Started): () => string {
  const length = dev.stdout().length;
  return () => dev.stdout().slice(length);
}

async function started(...flags: readonly string[]): Promise<{ dev: Started; client: KubernetesClient }> {
  const dev = kubewright.start(['dev', ...flags], { cwd: project.root });
  onTestFinished(async () => {
    dev.child.kill('SIGKILL');
    await dev.ended;
  });
  await seen(dev, /controller shop started|"starting workers"/);
  const client = clientFromConfig(
    await loadClientConfig({ kubeconfig: join(project.root, '.kubewright', 'kubeconfig') }),
  );
  return { dev, client };
}

async function stop(dev: Started): Promise<void> {
  dev.child.kill('SIGINT');
  expect(await dev.ended).toBe(0);
}

describe('kubewright dev', () => {
  it('restarts the operator on every save, however the editor writes the file', async () => {
    const { dev, client } = await started('--no-type-check');
    await client[Symbol.asyncDispose]();
    const file = join(project.root, controller);
    const text = readFileSync(file, 'utf8');
    let version = 0;
    const next = (): string => `${text}// ${version++}\n`;
    await restarted(dev, () => execFileSync('sed', ['-i', 's/Keeps a ConfigMap/Has a ConfigMap/', file]));
    await restarted(dev, () => writeFileSync(file, next()));
    await restarted(dev, () => writeFileSync(file, next()));
    await restarted(dev, () => {
      writeFileSync(`${file}.part`, next());
      renameSync(`${file}.part`, file);
    });
    await restarted(dev, () => writeFileSync(file, next()));
    await restarted(dev, () => {
      rmSync(file);
      writeFileSync(file, next());
    });
    await restarted(dev, () => writeFileSync(file, text));
    const folder = join(project.root, 'src', 'more');
    await restarted(dev, () => {
      mkdirSync(folder);
      writeFileSync(join(folder, 'a.ts'), 'export const a = 1;\n');
    });
    await restarted(dev, () => writeFileSync(join(folder, 'a.ts'), 'export const a = 2;\n'));
    await restarted(dev, () => renameSync(folder, `${folder}-renamed`));
    await restarted(dev, () => writeFileSync(join(`${folder}-renamed`, 'a.ts'), 'export const a = 3;\n'));
    await restarted(dev, () => rmSync(`${folder}-renamed`, { recursive: true }));
    await stop(dev);
  });

  it('reports webhooks, mistakes, hot loops and denied calls in a few lines', async () => {
    const { dev, client } = await started();
    expect(dev.stdout()).toMatch(
      /✓ serving webhooks: \/mutate-shop-example-com-v1-shop, \/validate-shop-example-com-v1-shop\n/,
    );
    expect(dev.stdout()).not.toMatch(/Registering|certwatcher|loaded the client configuration/);
    await seen(dev, 'type check passed');
    const metadata = { name: 'one', namespace: 'default' };
    const spec = { message: ' hello ' };
    const sample = { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { ...metadata, name: 'shop-sample' } };
    await client.resource(Shop).create({ ...sample, spec } as never);
    await seen(dev, /· Shop default\/shop-sample {2}create: defaulted \.spec\.message\n.*create: admitted\n/);
    await seen(dev, /\+ ConfigMap shop-sample-shop-message/);

    // A stored sample is validated like a new one.
    const api = project.read('src/api/v1/shop.ts');
    await restarted(dev, () => project.edit('src/api/v1/shop.ts', (text) => text.replace('1024', '3')));
    await seen(dev, /! invalid sample {7}config\/samples\/shop_v1_shop\.yaml: spec\.message: Too long: [^;\n]*\n/);
    await restarted(dev, () => project.edit('src/api/v1/shop.ts', () => api));

    const good = project.read(controller);
    project.edit(controller, (text) => text.replace('desired: (object) => (', 'desired: (object => ('));
    await seen(dev, /KW7501 cannot bundle the operator\n/);
    await seen(dev, /! operator unchanged {3}the previous build is still running\n/);
    // Consequences of the first change are printed before the second change.
    project.edit(controller, (text) => `${text}// still\n`);
    await expect.poll(() => dev.stderr().split('KW7501').length, { timeout: 30_000 }).toBe(3);
    expect(all(dev)).not.toMatch(/KW6001|KW7401|TS1\d{3}/);

    let received = from(dev);
    await restarted(dev, () =>
      project.edit(controller, () =>
        good.replace('message: spec.message }', 'message: String(process.hrtime.bigint()) }'),
      ),
    );
    const other = `\\.data\\.message of ConfigMap default/shop-sample-shop-message`;
    const loop = new RegExp(`! Shop default/shop-sample {2}KW3050 hot loop: ${other} changed \\d+ times`);
    await expect.poll(received, { timeout: 60_000 }).toMatch(loop);
    await expect
      .poll(received, { timeout: 60_000 })
      .toMatch(new RegExp(`KW3050 (\\d+ reconciles|one reconcile) a second: each reconcile changes ${other}`));
    expect(received().split('▶ Shop').length).toBeLessThan(30);

    received = from(dev);
    const denied = `const kinds: any[] = [Secret]; await ctx.client.resource(kinds[0]).list();`;
    await restarted(dev, () =>
      project.edit(controller, () =>
        good
          .replace('import { ConfigMap }', 'import { ConfigMap, Secret }')
          .replace(
            'desired: (object) => ({ children: [configMapFor(object)], status: {} }),',
            `reconcile: async (object, ctx) => { ${denied} return { children: [configMapFor(object)], status: {} }; },`,
          ),
      ),
    );
    await expect
      .poll(received, { timeout: 60_000 })
      .toMatch(
        / {13}KW7604 the operator is not allowed to list secrets: its roles do not grant this permission\n {13}src\/controllers\/shop\.ts/,
      );
    await expect.poll(received).toContain('\n             /** @rbac groups=core resources=secrets verbs=list */\n');
    expect(received()).not.toContain('StatusError');
    project.edit(controller, () => good);
    await client[Symbol.asyncDispose]();
    await stop(dev);
  });

  it('writes one machine-readable record per reconcile', async () => {
    const { dev, client } = await started('--json', '--no-type-check');
    const object = { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { name: 'two', namespace: 'default' } };
    await client.resource(Shop).create({ ...object, spec: { message: 'hi' } } as never);
    const records = (): readonly Record<string, unknown>[] =>
      dev
        .stdout()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await expect
      .poll(() => records().map(({ reconcile }) => reconcile), { timeout: 30_000 })
      .toContainEqual({
        ts: expect.any(String),
        controller: 'shop',
        object: 'Shop default/two',
        because: ['Shop default/two was created'],
        wrote: expect.arrayContaining([
          { action: 'created', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'two-shop-message' },
        ]),
        ms: expect.any(Number),
      });
    expect(records().every((record) => !('output' in record))).toBe(true);
    await client[Symbol.asyncDispose]();
    await stop(dev);
  });
});
