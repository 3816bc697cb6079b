import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';

let kubewright: CommandLine;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

/** Creates a project that resolves the workspace's packages, as after `npm install`. */
async function project(name: string, ...flags: readonly string[]): Promise<string> {
  const { code, stderr } = await kubewright.run(['init', name, '--domain', 'example.com', ...flags]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const root = join(kubewright.folder, name);
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  return root;
}

const createApi = (cwd: string, kind: string, ...flags: readonly string[]) =>
  kubewright.run(['create', 'api', '--group', 'web', '--version', 'v1', '--kind', kind, ...flags], { cwd });

function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('node_modules'));
}

// Each generation is a process that loads a compiler.
vi.setConfig({ testTimeout: 90_000 });

describe('kubewright init', () => {
  it('creates a project with few files, and prints the next steps', async () => {
    const { code, stdout } = await kubewright.run(['init', 'my-shop-operator', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toBe(`✓ written              package.json
✓ written              tsconfig.json
✓ written              .gitignore
✓ written              src/main.ts
✓ written              README.md
✓ written              AGENTS.md
✓ written              .github/workflows/ci.yml
✓ written              .github/workflows/release.yml
✓ written              renovate.json
✓ written              src/api/v1/my-shop.ts
✓ written              config/samples/my-shop_v1_myshop.yaml
✓ written              src/controllers/my-shop.ts
✓ written              src/controllers/my-shop.test.ts
✓ changed              src/main.ts
To generate the manifests, run npm install, then npm run generate.

Next:  cd my-shop-operator  &&  npm install  &&  npm run dev
`);
    const files = filesOf(join(kubewright.folder, 'my-shop-operator'));
    expect(files.length).toBeLessThanOrEqual(15);
    const lines = files.map((path) => readFileSync(path, 'utf8').split('\n').length - 1);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(400);
    const agents = readFileSync(join(kubewright.folder, 'my-shop-operator', 'AGENTS.md'), 'utf8');
    expect(agents.split('\n').length).toBeLessThanOrEqual(150);
    // Actions must be pinned to commits, because a tag can be moved.
    const workflows = files.filter((path) => path.includes('workflows')).map((path) => readFileSync(path, 'utf8'));
    const actions = workflows.flatMap((text) => [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action));
    expect(actions.length).toBeGreaterThan(5);
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('quotes the next steps for a shell', async () => {
    const { stdout } = await kubewright.run(['init', "it's mine", '--name', 'mine', '--yes']);
    expect(stdout).toContain(`\nNext:  cd 'it'\\''s mine'  &&  npm install  &&  npm run dev\n`);
  });

  it('does not touch existing files', async () => {
    const root = await project('again');
    const main = join(root, 'src', 'main.ts');
    appendFileSync(main, '// mine\n');
    const { stdout } = await kubewright.run(['init', 'again', '--yes']);
    expect(stdout).toContain('✓ kept                 src/main.ts\n');
    expect(stdout).not.toContain('written');
    expect(readFileSync(main, 'utf8')).toMatch(/\/\/ mine\n$/);
    mkdirSync(join(kubewright.folder, 'theirs'));
    writeFileSync(join(kubewright.folder, 'theirs', 'package.json'), '{ "name": "website" }');
    const theirs = await kubewright.run(['init', 'theirs', '--yes']);
    expect(theirs.code).toBe(1);
    expect(theirs.stderr).toContain('the package.json in this folder belongs to website; nothing was written');
  });

  it('rejects a project whose package.json would write into manifests and code', async () => {
    const root = join(kubewright.folder, 'hostile');
    mkdirSync(root);
    const write = (manifest: object): void => writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
    const generate = (): ReturnType<typeof kubewright.run> => kubewright.run(['generate'], { cwd: root });
    write({ name: 'a\n  evil: b', kubewright: { domain: 'example.com' } });
    expect(await generate()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('KW7102 invalid project name "a\\n  evil: b"'),
    });
    write({ name: 'a', kubewright: { domain: "x', process.exit(), '" } });
    expect(await generate()).toMatchObject({ code: 2, stderr: expect.stringContaining('invalid project domain') });
    expect(await kubewright.run(['init', 'hostile', '--yes'])).toMatchObject({ code: 2 });
    writeFileSync(join(root, 'package.json'), 'no JSON');
    const { code, stderr } = await kubewright.run(['init', 'hostile', '--yes']);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('KW7104') });
    expect(readdirSync(root)).toEqual(['package.json']);
  });

  it('rejects names that contain code', async () => {
    const root = await project('named-safely');
    const create = (...flags: readonly string[]): ReturnType<typeof kubewright.run> =>
      kubewright.run(['create', 'api', '--group', 'a', '--version', 'v1', '--kind', 'Shop', ...flags], { cwd: root });
    const plural = await create('--plural', "shops', kind: evil(), x: '");
    expect(plural).toMatchObject({ code: 2, stderr: expect.stringContaining('invalid plural') });
    expect(await create('--kind', 'Shop = evil()')).toMatchObject({ code: 2 });
    expect(existsSync(join(root, 'src/api/v1/shop.ts'))).toBe(false);
  });

  it('keeps the registry that it was created with', async () => {
    const env = { npm_config_registry: 'http://127.0.0.1:4873/' };
    const { stdout } = await kubewright.run(['init', 'from-a-clone', '--yes'], { env });
    expect(stdout).toContain('✓ written              .npmrc\n');
    const npmrc = readFileSync(join(kubewright.folder, 'from-a-clone', '.npmrc'), 'utf8');
    expect(npmrc).toContain('\nregistry=http://127.0.0.1:4873/\n');
  });

  it('runs with npm create kubewright', () => {
    const main = join(repository, 'packages/create-kubewright/bin/main.js');
    const options = { cwd: kubewright.folder, encoding: 'utf8' } as const;
    const { status, stdout } = spawnSync(process.execPath, [main, 'created', '--yes'], options);
    expect({ status, last: stdout.split('\n').at(-2) }).toEqual({
      status: 0,
      last: 'Next:  cd created  &&  npm install  &&  npm run dev',
    });
    // The built program matches the sources under test.
    const built = join(repository, 'packages/cli/bin/main.js');
    const version = spawnSync(process.execPath, [built, 'version'], { cwd: join(kubewright.folder, 'created') });
    expect(version.stdout.toString()).toMatch(/^kubewright {2}0\.1\.0\n/);
  });

  it('never prompts without a terminal, and rejects invalid names', async () => {
    expect(await kubewright.run(['init', 'asked'])).toEqual({
      code: 2,
      stdout: '',
      stderr: `KW7103 the project needs a domain for its API groups
  why: no domain was specified, and there is no terminal to prompt on
  fix: add --domain example.com, or --yes to use the default
`,
    });
    const { code, stderr } = await kubewright.run(['init', 'named', '--domain', 'Example']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `KW7102 invalid domain "Example"
  why: a domain must consist of at least two lower-case words separated by dots
  fix: choose a valid domain, such as --domain example.com
`,
    });
  });
});

describe('kubewright create api', () => {
  it('adds a kind, its controller and its manifests, once', async () => {
    const root = await project('shop', '--template', 'empty');
    expect(await createApi(root, 'RedisCache')).toMatchObject({ code: 0, stderr: '' });
    const main = readFileSync(join(root, 'src', 'main.ts'), 'utf8');
    expect(main).toContain("import { redisCache } from './controllers/redis-cache.ts';\n");
    expect(main).toContain('  controllers: [redisCache],\n');
    expect(await createApi(root, 'RedisCache')).toEqual({
      code: 0,
      stdout: '✓ unchanged            RedisCache of web.example.com/v1\n',
      stderr: '',
    });
    const controller = join(root, 'src', 'controllers', 'redis-cache.ts');
    appendFileSync(controller, '// mine\n');
    const again = await createApi(root, 'RedisCache');
    expect(again.stdout).toContain('✓ kept                 src/controllers/redis-cache.ts\n');
    expect(readFileSync(join(root, 'src', 'main.ts'), 'utf8')).toBe(main);
    expect(readFileSync(controller, 'utf8')).toMatch(/\/\/ mine\n$/);
    expect(await createApi(root, 'Site', '--scope', 'Cluster', '--plural', 'places')).toMatchObject({ code: 0 });
    const crd = readFileSync(join(root, 'config/crd/bases/web.example.com_places.yaml'), 'utf8');
    expect(crd).toContain('scope: Cluster');
    // The project compiles, and its tests pass, with the linked packages.
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc], { cwd: root, encoding: 'utf8' }).stdout).toBe('');
    const vitest = join(repository, 'node_modules/vitest/vitest.mjs');
    const tests = spawnSync(process.execPath, [vitest, 'run'], { cwd: root, encoding: 'utf8' });
    expect(tests.stdout).toMatch(/Tests .*4 passed/);
  });

  it('prints what to add by hand', async () => {
    const root = await project('odd', '--template', 'empty');
    writeFileSync(join(root, 'src', 'main.ts'), 'export const mine = 1;\n');
    const { stdout } = await createApi(root, 'Thing');
    expect(stdout).toContain(
      "! add to src/main.ts   import { thing } from './controllers/thing.ts'; and add it to controllers\n",
    );
    expect(readFileSync(join(root, 'src', 'main.ts'), 'utf8')).toBe('export const mine = 1;\n');
  });

  it('requires a project and its domain', async () => {
    expect(await createApi(kubewright.folder, 'Thing')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7101 ${kubewright.folder} is not in a Kubewright project
  why: no package.json with a "kubewright" field exists in this folder or its parents
  fix: change to the folder of a project, or create a project: kubewright init my-operator --domain example.com
`,
    });
    const cwd = await project('domains', '--template', 'empty');
    const args = ['create', 'api', '--group', 'apps.k8s.io', '--version', 'v1', '--kind', 'Thing'];
    const { code, stderr } = await kubewright.run(args, { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('  fix: pass --group apps to use the group apps.example.com\n');
  });
});

describe('kubewright build', () => {
  it.each(['--image', '--load'])('rejects an invalid %s before it builds anything', async (flag) => {
    const root = await project(`build${flag}`);
    const before = filesOf(root);
    expect(await kubewright.run(['build', flag, 'Bad:Image:x'], { cwd: root })).toEqual({
      code: 2,
      stdout: '',
      stderr: `KW7001 invalid command line
  why: option '${flag} <IMAGE>' argument 'Bad:Image:x' is invalid. It is not a valid image: invalid reference format: repository name (library/Bad) must be lowercase.
  fix: run kubewright build --help
`,
    });
    expect(filesOf(root)).toEqual(before);
  });
});

describe('kubewright generate', () => {
  it.skipIf(isMissing('kubectl'))("writes manifests that kubectl's kustomize renders identically", async () => {
    const root = await project('rendered');
    await kubewright.run(['generate'], { cwd: root });
    const text = execFileSync('kubectl', ['kustomize', 'config/default'], { cwd: root, encoding: 'utf8' });
    const theirs = parseAllDocuments(text).map((document) => document.toJS());
    const ours = kustomize(join(root, 'config', 'default'), { root });
    const sorted = (objects: readonly { kind: string; metadata: { name?: string } }[]) =>
      [...objects].sort((a, b) => `${a.kind}${a.metadata.name}`.localeCompare(`${b.kind}${b.metadata.name}`));
    expect(sorted(ours)).toEqual(sorted(theirs));
    expect(theirs.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain(
      'Deployment rendered-controller-manager',
    );
  });

  it('keeps a generated file that a user took over, and reports outdated files', async () => {
    const root = await project('owned');
    await kubewright.run(['generate'], { cwd: root });
    const manager = join(root, 'config/manager/manager.yaml');
    const own = readFileSync(manager, 'utf8')
      .replace(/^# Generated.*\n/, '')
      .replace('replicas: 1', 'replicas: 2');
    writeFileSync(manager, own);
    appendFileSync(join(root, 'config/rbac/service_account.yaml'), '# changed\n');
    expect(await kubewright.run(['generate', '--check'], { cwd: root })).toMatchObject({
      code: 1,
      stderr: `KW7402 generated files are out of date
  why: these files differ, are missing or are obsolete:
    config/rbac/service_account.yaml
  fix: run kubewright generate, and commit its output with the change
`,
    });
    const { stdout } = await kubewright.run(['generate'], { cwd: root });
    expect(stdout).toContain('! kept (your own)      config/manager/manager.yaml\n');
    expect(readFileSync(manager, 'utf8')).toBe(own);
    expect((await kubewright.run(['generate', '--check'], { cwd: root })).code).toBe(0);
    // The schema that the sample's first line names for editors exists.
    const sample = readFileSync(join(root, 'config/samples/owned_v1_owned.yaml'), 'utf8');
    const [, schema = ''] = /\$schema=(\S+)/.exec(sample) ?? [];
    expect(JSON.parse(readFileSync(join(root, 'config/samples', schema), 'utf8')).properties.kind.const).toBe('Owned');
  });

  it('reports mistakes in the types, and writes nothing', async () => {
    const root = await project('wrong');
    const api = join(root, 'src/api/v1/wrong.ts');
    writeFileSync(
      api,
      readFileSync(api, 'utf8').replace(
        'readonly message: string;',
        'readonly message: string;\n  readonly size: number;',
      ),
    );
    const { code, stderr } = await kubewright.run(['generate'], { cwd: root });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^src\/api\/v1\/wrong\.ts:9:\d+ error KW6101 spec\.size: /);
    expect(stderr).toMatch(/\n {5}9 \| {3}readonly size: number;\n {7}\| +\^\n/);
    expect(stderr).toContain('KW7401 cannot generate the manifests from the types; nothing was written\n');
    expect(readdirSync(join(root, 'config'))).toEqual(['samples']);
  });
});
