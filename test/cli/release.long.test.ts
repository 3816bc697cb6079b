import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

// Each command loads a compiler.
vi.setConfig({ testTimeout: 120_000 });

let kubewright: CommandLine;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

const api = 'src/api/v1/shop.ts';
const crd = 'config/crd/bases/shop.example.com_shops.yaml';
const kept = 'config/crd/released/shop.example.com_shops.yaml';

describe('types with breaking changes', () => {
  let shop: CliProject;
  beforeAll(async () => {
    shop = await cliProject(kubewright, 'shop');
  }, 120_000);

  it('are allowed before the first release', async () => {
    expect(await shop.run('generate')).toMatchObject({ code: 0 });
    shop.edit(api, (text) => text.replace('@maxLength 1024', '@maxLength 1023'));
    expect(await shop.run('generate')).toMatchObject({ code: 0, stderr: '' });
  });

  it('are rejected after it, with every change listed, and nothing is written', async () => {
    const released = await shop.run('build', '--release');
    expect(released).toMatchObject({ code: 0, stderr: '' });
    expect(released.stdout).toContain(
      '✓ released             0.1.0: commit config/crd/released; later changes of the types are checked against it\n',
    );
    expect(shop.read(kept)).toMatch(/^# Released with 0\.1\.0: .*\n---\napiVersion/);
    const before = shop.read(crd);
    shop.edit(api, (text) =>
      text
        .replace('@maxLength 1023', '@maxLength 1000')
        .replace(
          'readonly message: string;',
          'readonly message: string;\n  readonly color: string;\n  readonly size?: string;',
        ),
    );
    shop.edit('src/controllers/shop.test.ts', (text) =>
      text.replace("spec: { message: 'hi' }", "spec: { message: 'hi', color: 'red' }"),
    );
    expect(await shop.run('generate')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7403 the types would break the released version 0.1.0; nothing was written
  why: objects or clients that were valid would become invalid:
    shops.shop.example.com v1 spec.message: maxLength changed from 1023 to 1000 (limit-tightened)
    shops.shop.example.com v1 spec.color: was added as a required field (required-field-added)
  fix: undo the change, or make it in a new version of the kind; if no one uses the released version, run kubewright generate --allow-breaking
`,
    });
    expect(shop.read(crd)).toBe(before);
    expect((await shop.run('build')).stderr).toMatch(/^KW7403 /);
    // Not KW7402, which would advise running generate.
    expect((await shop.run('generate', '--check')).stderr).toMatch(/^KW7403 /);
    expect(await shop.run('create', 'api', '--group', 'shop', '--version', 'v1', '--kind', 'Other')).toMatchObject({
      code: 1,
    });
  });

  it('are allowed once, and remembered until the next release', async () => {
    expect(await shop.run('generate', '--allow-breaking')).toMatchObject({ code: 0, stderr: '' });
    // The change in config/ is allowed; a further breaking change is not.
    expect(await shop.run('generate', '--check')).toMatchObject({ code: 0 });
    const { code, stdout } = await shop.run('build');
    expect(code).toBe(0);
    expect(stdout).toContain(
      '! breaks 0.1.0         shops.shop.example.com v1 spec.color: was added as a required field',
    );
    shop.edit(api, (text) =>
      text.replace('readonly color: string;', 'readonly color: string;\n  readonly more: string;'),
    );
    const again = await shop.run('generate');
    expect(again.stderr).toContain('spec.more: was added as a required field');
    expect(again.stderr).not.toContain('spec.color');
    shop.edit(api, (text) => text.replace('\n  readonly more: string;', ''));
  });

  it('can be released only under a new version', async () => {
    expect(await shop.run('build', '--release')).toMatchObject({
      code: 1,
      stderr: `KW7404 version 0.1.0 was already released with different CRDs
  why: the CRDs in config/crd/released differ from those generated from the current types
  fix: run npm version minor to increase the version, then build the release again
`,
    });
    shop.edit('package.json', (text) => text.replace('"version": "0.1.0"', '"version": "0.2.0"'));
    expect(await shop.run('build', '--release')).toMatchObject({ code: 0 });
    expect(shop.read(kept)).toMatch(/^# Released with 0\.2\.0: /);
    expect((await shop.run('build', '--release')).stdout).not.toContain('breaks');
  });

  it('include a removed kind', async () => {
    rmSync(join(shop.root, 'src/api/v1/other.ts'));
    for (const name of ['other.ts', 'other.test.ts']) rmSync(join(shop.root, 'src/controllers', name));
    shop.edit('src/main.ts', (text) => text.replace(/.*other.*\n/, '').replace(', other', ''));
    const { stderr } = await shop.run('generate');
    expect(stderr).toContain('others.shop.example.com: the kind and all of its objects are removed (kind-removed)');
    const { code, stdout } = await shop.run('generate', '--allow-breaking');
    expect(code).toBe(0);
    expect(stdout).toContain('✓ removed              config/crd/bases/shop.example.com_others.yaml\n');
    expect(existsSync(join(shop.root, 'config/crd/bases/shop.example.com_others.yaml'))).toBe(false);
  });
});

describe('kubewright upgrade', () => {
  it('migrates a project with an earlier layout, and keeps files owned by the user', async () => {
    const old = await cliProject(kubewright, 'old');
    await old.run('generate');
    // A file that an earlier version of the generator wrote and the current version does not.
    const header = readFileSync(join(old.root, 'config/manager/manager.yaml'), 'utf8').split('\n')[0];
    mkdirSync(join(old.root, 'config/proxy'));
    writeFileSync(join(old.root, 'config/proxy/auth_proxy_service.yaml'), `${header}\nkind: Service\n`);
    old.edit('config/rbac/service_account.yaml', (text) => text.replace('controller-manager', 'manager'));
    rmSync(join(old.root, 'config/prometheus'), { recursive: true });
    rmSync(join(old.root, 'renovate.json'));
    old.edit('package.json', (text) =>
      text
        .replace('"@kubewright/runtime": "0.1.0"', '"@kubewright/runtime": "0.0.9"')
        .replace('"vitest": "^4.1.0"', '"vitest":"^3.2.0"'),
    );
    // Files that the user has taken over.
    const own = {
      'config/manager/manager.yaml': old.read('config/manager/manager.yaml').replace(`${header}\n`, ''),
      'config/extra/quota.yaml': 'apiVersion: v1\nkind: ResourceQuota\n',
      'src/main.ts': `${old.read('src/main.ts')}// mine\n`,
      'AGENTS.md': 'mine\n',
    };
    mkdirSync(join(old.root, 'config/extra'));
    for (const [path, text] of Object.entries(own)) writeFileSync(join(old.root, path), text);
    const manifest = old.read('package.json');

    const { code, stdout, stderr } = await old.run('upgrade');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`! outdated             @kubewright/runtime 0.0.9 → 0.1.0
! outdated             vitest ^3.2.0 → ^4.1.0
✓ written              config/rbac/service_account.yaml
✓ written              config/prometheus/kustomization.yaml
✓ written              config/prometheus/monitor.yaml
! kept (your own)      config/manager/manager.yaml
✓ removed              config/proxy/auth_proxy_service.yaml
! missing              renovate.json: to create it, run kubewright init
✓ generated files      up to date with 0.1.0

Next:  kubewright upgrade --apply  &&  npm install
`);
    for (const [path, text] of Object.entries(own)) expect(old.read(path)).toBe(text);
    expect(old.read('package.json')).toBe(manifest);

    expect((await old.run('upgrade', '--apply')).stdout).toContain('✓ changed              vitest ^3.2.0 → ^4.1.0\n');
    expect(old.read('package.json')).toBe(manifest.replace('"0.0.9"', '"0.1.0"').replace('"^3.2.0"', '"^4.1.0"'));
    const { stdout: done } = await old.run('upgrade');
    expect(done).not.toMatch(/behind|written|removed/);
  });
});
