import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { APIService } from '@kubewright/apimachinery/apiregistration/v1';
import { Service } from '@kubewright/apimachinery/core/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CliProject, cliProject } from '../cli/cli-project.ts';
import { CommandLine, type Started } from '../cli/command-line.ts';
import { build, repository } from '../main-job/repository.ts';

// Each test starts compilers, clusters and operators.
vi.setConfig({ testTimeout: 240_000 });

const patience = { timeout: 60_000 };
const Well = { group: 'water.example.com', version: 'v1', kind: 'Well', plural: 'wells', scope: 'Namespaced' } as const;
const create = ['create', 'api', '--group', 'water', '--version', 'v1', '--kind'];
const apiService = { name: 'v1.water.example.com' };
const kindFile = 'src/api/v1/well.ts';

describe('kubewright create api --aggregated', () => {
  let kubewright: CommandLine;
  let project: CliProject;
  let dev: Started | undefined;
  beforeAll(async () => {
    await build();
    kubewright = await CommandLine.build();
    project = await cliProject(kubewright, 'wells', '--template', 'empty');
  }, 240_000);
  afterEach(async () => {
    dev?.child.kill('SIGKILL');
    await dev?.ended;
  });
  afterAll(() => kubewright?.[Symbol.dispose]());

  const all = (): string => `${dev?.stdout()}${dev?.stderr()}`;
  const startDev = async (options: { readonly env?: Readonly<Record<string, string>> }, ...flags: string[]) => {
    dev = kubewright.start(['dev', '--no-type-check', ...flags], { cwd: project.root, ...options });
    await expect.poll(all, patience).toMatch(/API available +v1\.water|KW\d/);
    expect(all()).not.toMatch(/KW\d/);
  };
  const endDev = async () => {
    dev?.child.kill('SIGINT');
    expect({ code: await dev?.ended, stderr: dev?.stderr() }).toEqual({ code: 0, stderr: '' });
  };
  const well = (name: string, message: string) => ({
    apiVersion: 'water.example.com/v1',
    kind: 'Well',
    metadata: { name, namespace: 'default' },
    spec: { message },
  });

  it('adds a kind, a server and its manifests, once', async () => {
    const { code, stdout, stderr } = await project.run(...create, 'Well', '--aggregated');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const path of ['src/apiserver.ts', 'config/apiserver/kinds.json', 'config/apiserver/service.yaml'])
      expect(stdout).toContain(`✓ written              ${path}\n`);
    expect(project.read('src/main.ts')).toMatch(
      /runOperator\(\{\n {2}runnables: \[apiserver\],\n {2}controllers: \[\],/,
    );
    expect(JSON.parse(project.read('package.json')).dependencies).toHaveProperty('@kubewright/apiserver');
    expect(existsSync(join(project.root, 'config/crd'))).toBe(false);
    const again = await project.run(...create, 'Well', '--aggregated');
    expect(again).toMatchObject({ code: 0, stdout: '✓ unchanged            Well of water.example.com/v1\n' });
    expect((await project.run('generate', '--check')).stderr).toBe('');
  });

  it('adds further kinds and versions to the server', async () => {
    expect((await project.run(...create, 'Pump', '--aggregated', '--controller')).stderr).toBe('');
    expect(project.read('src/apiserver.ts')).toContain('  kinds: [Well, Pump],\n');
    expect(project.read('src/main.ts')).toContain('  controllers: [pump],\n');
    const version = ['create', 'api', '--group', 'water', '--version', 'v1beta1', '--kind', 'Pump'];
    expect((await project.run(...version)).stderr).toBe('');
    expect(project.read('src/apiserver.ts')).toContain('  conversions: [pumpConversion],\n');
    expect(
      (await project.run(...create, 'Shop')).stderr,
    ).toContain(`KW7102 cannot serve Shop (water.example.com/v1) from a CRD
  why: Pump (water.example.com/v1) in src/api/v1/pump.ts is served from the API server of the project
`);
    const webhook = ['create', 'webhook', '--group', 'water', '--version', 'v1', '--kind', 'Well', '--validation'];
    expect((await project.run(...webhook)).stderr).toContain('KW7105 cannot create an admission webhook for Well');
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc], { cwd: project.root, encoding: 'utf8' }).stdout).toBe('');
    const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
    const tests = spawnSync(process.execPath, [vitest, 'run'], { cwd: project.root, encoding: 'utf8' });
    expect(tests.stdout).toMatch(/Tests .*2 passed/);
  });

  it('becomes ready in dev --ci, with its samples', async () => {
    const { code, stdout, stderr } = await project.run('dev', '--ci', '--no-type-check');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ready +Well well-sample\n/);
    expect(stdout).toMatch(/ready +Pump pump-sample\n/);
  });

  it('serves changed types on save, and keeps the objects', async () => {
    await startDev({});
    await using client = await clientOf(join(project.root, '.kubewright', 'kubeconfig'));
    const wells = client.resource(Well);
    await wells.create(well('garden', 'deep'));
    await expect(wells.create(well('other', ''))).rejects.toThrow('spec.message');
    project.edit(kindFile, (text) => text.replace('@maxLength 1024', '@maxLength 4'));
    const rejection = () => wells.create(well('other', 'hello'), { dryRun: true }).then(() => 'created', String);
    await expect.poll(rejection, patience).toContain('Too long: may not be more than 4 bytes');
    expect((await wells.list({ namespace: 'default' })).items).toMatchObject([{ metadata: { name: 'garden' } }]);
    await endDev();
  });

  it('serves in the cluster of a context instead of a deployed server, until it stops', async () => {
    const elsewhere = join(kubewright.folder, 'elsewhere');
    mkdirSync(elsewhere);
    const env = { KUBECONFIG: join(elsewhere, 'config') };
    const flags = ['--kubeconfig', env.KUBECONFIG, '--driver', 'simulated'];
    await kubewright.run(['cluster', 'up', '--background', ...flags], { cwd: elsewhere });
    try {
      await using client = await clientOf(env.KUBECONFIG);
      const place = { name: 'wells-apiserver-service', namespace: 'wells-system', port: 443 };
      const apiServices = client.resource(APIService);
      const deployed = await apiServices.create({
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: apiService,
        spec: { group: Well.group, version: 'v1', service: place, groupPriorityMinimum: 1000, versionPriority: 100 },
      });
      const beta = () => apiServices.get({ name: 'v1beta1.water.example.com' }).then(({ kind }) => kind, String);

      await startDev({ env }, '--context', 'kubewright');
      const wells = client.resource(Well);
      await wells.create(well('garden', 'deep'));
      expect(await beta()).toBe('APIService');
      await endDev();

      expect((await apiServices.get(apiService)).spec).toEqual(deployed.spec);
      expect(await beta()).toContain('not found');
      expect((await client.resource(Service).list({ namespace: place.namespace })).items).toEqual([]);
    } finally {
      await kubewright.run(['cluster', 'down'], { cwd: elsewhere });
    }
  });

  it('builds an image whose program starts without the packages', async () => {
    expect((await project.run('build')).stderr).toBe('');
    const program = join(project.root, 'dist', 'main.mjs');
    const version = execFileSync(process.execPath, [program, '--help'], { cwd: kubewright.folder, encoding: 'utf8' });
    expect(version).toContain('--kubeconfig');
  });
});

async function clientOf(kubeconfig: string): Promise<KubernetesClient> {
  return clientFromConfig(await loadClientConfig({ kubeconfig }));
}
