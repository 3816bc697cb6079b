import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { Namespace } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { defineKind } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

// Most tests deploy an operator.
vi.setConfig({ testTimeout: 240_000 });

const Shop = defineKind<{ readonly message: string }>({ group: 'shop.example.com', version: 'v1', kind: 'Shop' });
const own = 'shop.example.com/goodbye';

let kubewright: CommandLine;
let shop: CliProject;
let client: KubernetesClient;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  shop = await cliProject(kubewright, 'shop');
  shop.edit('src/controllers/shop.ts', (text) =>
    text.replace('owns: [ConfigMap],', `owns: [ConfigMap],\n  finalizers: { '${own}': async () => {} },`),
  );
  expect(await shop.run('build', '--load', 'shop:dev')).toMatchObject({ code: 0, stderr: '' });
  expect(await shop.run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
  client = clientFromConfig(await loadClientConfig({ kubeconfig: `${shop.root}/.kubewright/kubeconfig` }));
}, 240_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await shop?.run('cluster', 'down');
  kubewright?.[Symbol.dispose]();
});

async function deploy(): Promise<void> {
  expect(await shop.run('deploy', '--image', 'shop:dev', '--timeout', '110')).toMatchObject({ code: 0, stderr: '' });
}

async function create(name: string, { namespace = 'default', finalizers = [] as readonly string[] } = {}) {
  const metadata = { name, namespace, finalizers };
  await client
    .resource(Shop)
    .create({ apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata, spec: { message: 'hi' } });
}

/** Waits until the operator has added its finalizer to an object. */
async function awaitFinalizer(name: string, namespace = 'default'): Promise<void> {
  const finalizers = async () => (await client.resource(Shop).get({ name, namespace })).metadata.finalizers;
  await expect.poll(finalizers, { timeout: 60_000 }).toEqual([own]);
}

/** Waits until the project's CRDs and namespaces are completely gone. */
async function expectNothingLeft(): Promise<void> {
  const left = async () => {
    const crds = (await client.resource(CustomResourceDefinition).list()).items;
    const namespaces = (await client.resource(Namespace).list()).items;
    return [...crds, ...namespaces].map(({ metadata }) => metadata.name).filter((name) => name?.startsWith('shop'));
  };
  await expect.poll(left, { timeout: 60_000 }).toEqual([]);
}

describe('an operator with a finalizer', () => {
  it('cleans up its objects if the kinds are removed first', async () => {
    await deploy();
    await create('a');
    await awaitFinalizer('a');
    const { code, stdout, stderr } = await shop.run('uninstall');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('✓ objects deleted      1 of shops.shop.example.com\n✓ kinds removed        1 of 1\n');
    expect(stdout).not.toContain('cleanup skipped');
    const undeployed = await shop.run('undeploy');
    expect(undeployed).toMatchObject({ code: 0, stderr: '' });
    expect(undeployed.stdout).toMatch(/✓ operator removed {5}\d+ objects\n/);
    expect(undeployed.stdout).not.toMatch(/^!|shops/m);
    await expectNothingLeft();
  });

  it('runs again to clean up its objects if it is removed first', async () => {
    await deploy();
    await create('a');
    await awaitFinalizer('a');
    const undeployed = await shop.run('undeploy');
    expect(undeployed).toMatchObject({ code: 0, stderr: '' });
    expect(undeployed.stdout).toContain('; to remove its kinds, run kubewright uninstall\n');
    expect(undeployed.stdout).toContain(
      `! objects remain       1 object of shops.shop.example.com still has the finalizer ${own}; deploy the operator again, or run kubewright uninstall, to delete it\n`,
    );
    const { code, stdout, stderr } = await shop.run('uninstall');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      '✓ operator             not running in the cluster; running src/main.ts locally to clean up\n',
    );
    expect(stdout).toContain('✓ kinds removed        1 of 1\n');
    expect(stdout).not.toContain('cleanup skipped');
    await expectNothingLeft();
  });

  it('removes the objects in its own namespace too', async () => {
    await deploy();
    await create('inside', { namespace: 'shop-system' });
    await create('outside');
    await awaitFinalizer('inside', 'shop-system');
    await awaitFinalizer('outside');
    const { code, stdout, stderr } = await shop.run('undeploy');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      '✓ objects deleted      1 of shops.shop.example.com, in namespace shop-system, which is also deleted\n',
    );
    expect(stdout).toContain('! objects remain       1 object of shops.shop.example.com');
    const namespaces = async () => (await client.resource(Namespace).list()).items.map(({ metadata }) => metadata.name);
    await expect.poll(namespaces, { timeout: 60_000 }).not.toContain('shop-system');
    const uninstalled = await shop.run('uninstall', '--yes');
    expect(uninstalled).toMatchObject({ code: 0, stderr: '' });
    expect(uninstalled.stdout).toContain(`! cleanup skipped      default/outside: removed the finalizer ${own}\n`);
    await expectNothingLeft();
  });
});

describe('kubewright uninstall, without an operator', () => {
  beforeAll(() => shop.edit('src/main.ts', () => "throw new Error('not today');\n"));

  it.skipIf(isMissing('script'))('prompts at a terminal', async () => {
    await shop.run('install');
    await create('a', { finalizers: [own] });
    const answer = async (key: string): Promise<string> => {
      const command = kubewright.startAtTerminal(['uninstall'], { cwd: shop.root, after: 'true' });
      await expect
        .poll(command.stdout, { timeout: 60_000 })
        .toContain(`No running operator handles the finalizer ${own}. Delete one object without cleanup?`);
      command.child.stdin?.write(key);
      await command.ended;
      return command.stdout();
    };
    expect(await shop.run('uninstall')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('! operator exited      with exit code 1\n'),
      stderr: `KW7307 one object of shops.shop.example.com was not deleted
  why: no running operator handles these finalizers, and src/main.ts could not run locally:
    default/a: ${own}
  fix: deploy the operator and retry, or delete the objects without cleanup: kubewright uninstall --yes
`,
    });
    const no = await answer('n');
    expect(no).toMatch(/KW7307 one object of shops\.shop\.example\.com was not deleted\r?\n/);
    expect(no).toMatch(/\bexit 1\r?\n/);
    const yes = await answer('y');
    expect(yes).toContain('! cleanup skipped      default/a');
    expect(yes).toMatch(/\bexit 0\r?\n/);
    await expectNothingLeft();
  });

  it("keeps finalizers that are not the operator's, unless forced", async () => {
    await shop.run('install');
    await create('a', { finalizers: [own, 'backup.example.org/keep'] });
    await create('b', { finalizers: ['backup.example.org/keep'] });
    expect(await shop.run('uninstall', '--yes')).toMatchObject({
      code: 1,
      stderr: `KW7307 2 objects of shops.shop.example.com were not deleted
  why: these finalizers belong to other controllers:
    default/a: backup.example.org/keep
    default/b: backup.example.org/keep
  fix: check the controllers that handle these finalizers, then retry; or remove all finalizers: kubewright uninstall --force
`,
    });
    const { code, stdout } = await shop.run('uninstall', '--force');
    expect(code).toBe(0);
    expect(stdout).toContain('! cleanup skipped      default/b: removed the finalizer backup.example.org/keep\n');
    await expectNothingLeft();
  });
});
