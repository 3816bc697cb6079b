import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

// Each command is a process that loads a compiler.
vi.setConfig({ testTimeout: 120_000 });

let kubewright: CommandLine;
let shop: CliProject;
const long = 'a'.repeat(300);
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  shop = await cliProject(kubewright, 'shop');
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

describe('when a file operation fails', () => {
  it.each([
    [['render', 'config/samples/shop_v1_shop.yaml'], 'set TMPDIR to an existing writable folder'],
    [['rbac'], 'set TMPDIR to an existing writable folder'],
  ])('%j names TMPDIR', async (args, remedy) => {
    const { code, stderr } = await kubewright.run(args, { cwd: shop.root, env: { TMPDIR: '/nowhere' } });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^KW7011 cannot create temporary folder \/nowhere\/\S+\n {2}why: .*\n {2}fix: /);
    expect(stderr).toContain(remedy);
  });

  it.each([[['generate']], [['build']], [['doctor']], [['cluster', 'status']], [['explain', 'KW7011']]])(
    '%j does not need TMPDIR',
    async (args) => {
      const { stderr } = await kubewright.run(args, { cwd: shop.root, env: { TMPDIR: '/nowhere' } });
      expect(stderr).not.toMatch(/KW70(02|11)/);
    },
  );

  it.each([
    [['init', long, '--name', 'long', '--yes'], /^KW7011 cannot create folder .* \(\d+ characters\)\n/],
    [['import', 'crd', 'crd.json', '--out', `${long}/a.ts`], /^KW7011 cannot create folder /],
    [['import', 'crd', 'crd.json', '--out', `${long}.ts`], /^KW7011 cannot open /],
    [['import', 'crd', long], /^KW7601 /],
    [['run', `${long}.ts`], /^KW7501 /],
    [['render', `${long}.yaml`], /^KW\d{4} /],
    [['install', '--kubeconfig', long], /^KW22\d\d /],
    [['doctor', '--kubeconfig', long], /^$/],
    [['cluster', 'up', '--background', '--kubeconfig', long], /^KW7011 /],
  ])('a name of 300 characters is not an internal error: %#', async (args, seen) => {
    const versions = [{ name: 'v1', served: true, storage: true }];
    const spec = { group: 'example.com', names: { kind: 'Ox', plural: 'oxen' }, scope: 'Cluster', versions };
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
    writeFileSync(join(shop.root, 'crd.json'), JSON.stringify(crd));
    const { code, stderr } = await kubewright.run(args, { cwd: shop.root });
    await kubewright.run(['cluster', 'down'], { cwd: shop.root });
    expect(stderr).toMatch(seen);
    expect(stderr).not.toContain('KW7002');
    expect(code).toBeGreaterThan(0);
  });
});
