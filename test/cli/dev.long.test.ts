import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { ConfigMap, Namespace } from '@kubewright/apimachinery/core/v1';
import { ClusterRole } from '@kubewright/apimachinery/rbac/v1';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine, type Started } from './command-line.ts';

// Each test starts a compiler, a bundler, a cluster and an operator.
vi.setConfig({ testTimeout: 180_000 });

let kubewright: CommandLine;
let root: string;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  await kubewright.run(['init', 'shop', '--yes']);
  root = join(kubewright.folder, 'shop');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
}, 120_000);
// Cleanups. They run even if a test fails, so the next test does not inherit the failed test's operator or edits.
const undo: (() => void)[] = [];
afterEach(async () => {
  await kubewright.stopAll();
  for (const restore of undo.splice(0).reverse()) restore();
});
afterAll(() => kubewright?.[Symbol.dispose]());

const seen = (dev: Started, text: string | RegExp) => expect.poll(dev.stdout, { timeout: 60_000 }).toMatch(text);
const controller = () => join(root, 'src/controllers/shop.ts');
const api = () => join(root, 'src/api/v1/shop.ts');

/** Edits a file until the end of the test; returns a function that restores the file earlier. */
function edit(path: string, from: string, to: string): () => void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  const restore = (): void => writeFileSync(path, text);
  undo.push(restore);
  return restore;
}

describe.skipIf(isMissing('script'))('kubewright dev at a terminal', () => {
  it('handles keys, prints a block per reconcile and errors with codes, and restores the terminal', async () => {
    // Runs in its own terminal, and prints the terminal's final state.
    const dev = kubewright.startAtTerminal(['dev'], { cwd: root, after: 'stty -a | grep -o -- "-\\?icanon"' });
    await seen(dev, /✓ written {14}config\/ \(\d+ files\)/);
    await seen(dev, 'a apply sample · r restart · t run tests · q quit');
    await seen(dev, 'controller shop started');
    dev.child.stdin?.write('a');
    await seen(dev, /✓ sample applied {7}Shop shop-sample/);
    await seen(
      dev,
      /▶ Shop default\/shop-sample {2}because Shop default\/shop-sample was created\r?\n +\+ ConfigMap shop-sample-shop-message .*\r?\n +✓ [\d.]+ ms/,
    );
    await seen(dev, /~ its status/);
    const back = edit(controller(), 'data: { message: spec.message },', 'data: { message: spec.nothing.at(1) },');
    await seen(dev, /✓ operator restarted {3}\d+ ms/);
    await seen(
      dev,
      /✗ Shop default\/shop-sample {2}because .*existed at startup\r?\n +TypeError: Cannot read properties of undefined \(reading 'at'\)\r?\n +src\/controllers\/shop\.ts:\d+:\d+\r?\n +\d+ \| .*\r?\n +\d+ \| .*spec\.nothing\.at\(1\).*\r?\n +\| +\^\r?\n/,
    );
    await seen(dev, /… \d+ library frames hidden; use --full-stacks to show them\r?\n +retry in \d+ ms/);
    await seen(
      dev,
      /! type check failed {4}one error\r?\n +src\/controllers\/shop\.ts:\d+:\d+ TS2339 .*\r?\n +\d+ \| /,
    );
    back();
    await seen(dev, /type check passed {4}again/);
    await seen(dev, /works|nothing to write/);
    dev.child.stdin?.write('t');
    await seen(dev, /✓ tests passed/);
    dev.child.stdin?.write('r');
    await expect.poll(() => dev.stdout().split('operator restarted').length, { timeout: 60_000 }).toBeGreaterThan(3);
    dev.child.stdin?.write('q');
    await seen(dev, /✓ stopped\r?\n/);
    await seen(dev, /\bexit 0\r?\n/);
    await seen(dev, /\sicanon\b/);
  });
});

describe('kubewright dev', () => {
  it('explains a changed kind and names the samples that no longer match it', async () => {
    const dev = kubewright.start(['dev', '--no-type-check'], { cwd: root });
    await seen(dev, 'controller shop started');
    const more = '@minLength 1 @maxLength 1024 */\n  readonly message: string;';
    const back = edit(
      api(),
      more,
      `@minLength 1 @maxLength 3 */\n  readonly message: string;\n  readonly theme?: 'light' | 'dark';`,
    );
    await seen(dev, /! breaking change +spec\.message .*\n/);
    await seen(dev, /✓ kind changed +spec\.theme .*\n/);
    await seen(dev, /! invalid sample {7}config\/samples\/shop_v1_shop\.yaml: spec\.message: .*\n/);
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    back();
  });

  it('leaves no process behind, even when killed', async () => {
    const dev = kubewright.start(['dev'], { cwd: root });
    await seen(dev, 'type check passed');
    const table = () =>
      execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/\s+/).map(Number));
    // The operator, the standby process, the bundler and the compiler.
    const children = table().flatMap(([pid = 0, parent]) => (parent === dev.child.pid ? [pid] : []));
    expect(children.length).toBeGreaterThanOrEqual(4);
    const processes = () => table().flatMap(([pid = 0]) => (children.includes(pid) ? [pid] : []));
    dev.child.kill('SIGKILL');
    await dev.ended;
    await expect.poll(processes, { timeout: 30_000 }).toEqual([]);
  });

  it('shows the location of an error that crashes the operator', async () => {
    const back = edit(join(root, 'src/main.ts'), 'process.exitCode', "JSON.parse('{');\nprocess.exitCode");
    const dev = kubewright.start(['dev', '--no-type-check'], { cwd: root });
    await expect.poll(dev.stderr, { timeout: 60_000 }).toContain('KW7502 the operator exited unexpectedly');
    expect(dev.stdout()).toMatch(
      /SyntaxError: .*\n {4}src\/main\.ts:\d+:\d+\n {6}\d+ \|.*\n(.*\n)*? {6}\d+ \| JSON\.parse\('\{'\);\n/,
    );
    expect(dev.stdout()).not.toContain('node:internal');
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    back();
  });
});

describe('kubewright dev --context', () => {
  it('runs the operator in an existing cluster under its own account, and leaves the cluster unchanged', async () => {
    const elsewhere = join(kubewright.folder, 'elsewhere');
    mkdirSync(elsewhere);
    const KUBECONFIG = join(elsewhere, 'config');
    await kubewright.run(['cluster', 'up', '--background', '--kubeconfig', KUBECONFIG], { cwd: elsewhere });
    try {
      await using client = clientFromConfig(await loadClientConfig({ kubeconfig: KUBECONFIG }));
      const namespaces = client.resource(Namespace);
      await namespaces.create(Namespace({ metadata: { name: 'shop-system' } }));
      const env = { KUBECONFIG };
      const dev = kubewright.start(['dev', '--context', 'kubewright', '--no-type-check'], { cwd: root, env });
      await seen(dev, /✓ context +kubewright: https:\/\/127\.0\.0\.1:\d+, Kubernetes v1\.36\S*, local\n/);
      await seen(dev, 'controller shop started');
      const Shop = {
        group: 'shop.example.com',
        version: 'v1',
        kind: 'Shop',
        plural: 'shops',
        scope: 'Namespaced',
      } as const;
      const object = {
        apiVersion: 'shop.example.com/v1',
        kind: 'Shop',
        metadata: { name: 'one', namespace: 'default' },
        spec: { message: 'hi' },
      };
      await client.resource(Shop).create(object);
      await seen(dev, /\+ ConfigMap one-shop-message/);
      const { metadata } = await client.resource(ConfigMap).get({ name: 'one-shop-message', namespace: 'default' });
      expect(metadata.managedFields?.[0]?.manager).toBe('shop');
      const login = join(root, '.kubewright/dev/shop-system.shop-controller-manager.kubeconfig');
      expect(existsSync(login)).toBe(true);
      dev.child.kill('SIGINT');
      expect({ code: await dev.ended, stderr: dev.stderr() }).toEqual({ code: 0, stderr: '' });
      expect(existsSync(login)).toBe(false);
      const crds = async () => (await client.resource(CustomResourceDefinition).list()).items;
      await expect.poll(crds, { timeout: 30_000 }).toEqual([]);
      const roles = (await client.resource(ClusterRole).list()).items.map((role) => role.metadata.name);
      expect(roles.filter((name) => name?.startsWith('shop-'))).toEqual([]);
      // It existed before.
      expect((await namespaces.get({ name: 'shop-system' })).status?.phase).toBe('Active');
    } finally {
      await kubewright.run(['cluster', 'down'], { cwd: elsewhere });
    }
  });
});

describe('commands that run or inspect an operator', () => {
  const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });

  it('render the children and the status of one reconcile', async () => {
    const { code, stdout, stderr } = await run('render', 'config/samples/shop_v1_shop.yaml');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n {2}name: shop-sample-shop-message\n[\s\S]*\ndata:\n {2}message: hello\n---\n# status of Shop shop-sample\nstatus:\n[\s\S]*type: Ready\n/,
    );
    expect(stdout).not.toMatch(/uid:|lastTransitionTime:/);
    expect(await run('render', 'none.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^KW7603 cannot render none\.yaml\n {2}why: the file does not exist\n/),
    });
    undo.push(() => rmSync(join(root, 'pod.yaml'), { force: true }));
    writeFileSync(join(root, 'pod.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n');
    expect(await run('render', 'pod.yaml')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^KW7603 this operator does not reconcile any object in pod\.yaml\n/),
    });
    const back = edit(
      controller(),
      'desired: (object) => ({',
      "desired: (object) => { throw new Error('no way'); return ({",
    );
    const other = edit(controller(), 'status: {} }),', 'status: {} }); },');
    const failed = await run('render', 'config/samples/shop_v1_shop.yaml');
    other();
    back();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^KW7603 Shop shop-sample was not reconciled\n {2}why: no way\n/);
    expect(failed.stderr).toMatch(/src\/controllers\/shop\.ts:\d+:\d+\n/);
  });

  it('reject an operator that passes its own silent log', async () => {
    const main = join(root, 'src/main.ts');
    const other = edit(main, 'import { runOperator }', 'import { runOperator, silentLogger }');
    const back = edit(main, 'runOperator({', 'runOperator({\n  log: silentLogger,');
    const { code, stderr } = await run('render', 'config/samples/shop_v1_shop.yaml');
    back();
    other();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^KW7605 cannot read the log of the operator\n {2}why: the operator wrote no line in the runtime's log format within 20 s: src\/main\.ts passes its own "log" to runOperator;/,
    );
  });

  it('compare the calls with the granted roles', async () => {
    const good = await run('rbac');
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/granted and used\n {2}configmaps +create, patch, watch\n/);
    expect(good.stdout).not.toContain('neither used nor needed');
  });

  it('grant missing rules, and name unused rules with their line', async () => {
    const more = `import { Secret } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';`;
    const back = edit(controller(), "import { controller } from '@kubewright/runtime';", more);
    // Three calls. The generator cannot detect the first two, and the second runs only if the first succeeds. The third
    // is never made.
    const goodbye = `const kinds: any[] = [Secret]; const secrets = ctx.client.resource(kinds[0]);
      await secrets.list(); await secrets.deleteCollection({ namespace: 'default' });
      if (object.spec.message === 'never') await ctx.client.resource(Secret).get({ name: 'a', namespace: 'b' });`;
    const other = edit(
      controller(),
      'owns: [ConfigMap],',
      `owns: [ConfigMap],\n  finalizers: { 'shop.example.com/x': async (object, ctx) => { ${goodbye} } },`,
    );
    const main = join(root, 'src/main.ts');
    const before = readFileSync(main, 'utf8');
    undo.push(() => writeFileSync(main, before));
    const line = before.split('\n').findIndex((text) => text.includes('runOperator(')) + 1;
    const tag = (verbs: string): string => `@rbac groups=core resources=secrets verbs=${verbs}`;

    const bad = await run('rbac');
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(
      new RegExp(
        `KW7604 the operator lacks permissions\\n {2}why: the roles of the operator do not grant:\\n +secrets +list\\n {2}fix: .* above runOperator, src/main\\.ts:${line}; .*\\n +/\\*\\*\\n +\\* ${tag('list')}\\n`,
      ),
    );
    const tried = await run('rbac', '--fix', '--dry-run');
    expect(tried.code).toBe(0);
    expect(tried.stdout).toContain(`✓ would change         src/main.ts:${line + 4}\n    + /**\n`);
    expect(tried.stdout).toContain(`    +  * ${tag('list')}\n`);
    expect(readFileSync(main, 'utf8')).toBe(before);

    const fixed = await run('rbac', '--fix');
    const after = readFileSync(main, 'utf8');
    expect(fixed.code).toBe(0);
    // The warnings of the two calls, printed once for all runs.
    expect(fixed.stderr.match(/KW\d+/g)).toEqual(['KW6401', 'KW6401']);
    expect(fixed.stdout).toContain(`    -  * ${tag('list')}\n    +  * ${tag('deletecollection;list')}\n`);
    expect(after.replace(/\/\*\*[\s\S]*?\*\/\n/, '')).toBe(before);
    expect(after).toContain(` * ${tag('deletecollection;list')}\n */\nprocess.exitCode`);
    expect(fixed.stdout).toMatch(
      /\ngranted, but not used and not declared\n {2}secrets +get {2}src\/controllers\/shop\.ts:\d+\n/,
    );
    other();
    back();
    // Each of the five runs starts a cluster and an operator.
  }, 360_000);

  it('import types from existing CRDs', async () => {
    const source = 'config/crd/bases/shop.example.com_shops.yaml';
    const { code, stdout } = await run('import', 'crd', source);
    expect(code).toBe(0);
    expect(stdout).toContain('export interface ShopSpec {');
    undo.push(() => rmSync(join(root, 'src/other.ts'), { force: true }));
    expect(await run('import', 'crd', source, '--out', 'src/other.ts')).toMatchObject({ code: 0 });
    expect(readFileSync(join(root, 'src/other.ts'), 'utf8')).toBe(stdout);
    expect(await run('import', 'crd', source, '--out', 'src/other.ts')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('KW7104 '),
    });
    const { stderr } = await run('import', 'crd', 'http://example.com/crd.yaml');
    expect(stderr).toMatch(/^KW7601 .*\n {2}why: only https URLs are supported\n/);
  });

  it("run the project's tests, also on a cluster, as documented", async () => {
    await run('generate');
    const page = readFileSync(join(repository, 'docs/how-to/test.md'), 'utf8');
    const path = 'src/controllers/shop.cluster.test.ts';
    const [, text = ''] = new RegExp(`\`\`\`ts ${path}\\n(.*?)\`\`\``, 's').exec(page) ?? [];
    undo.push(() => rmSync(join(root, path), { force: true }));
    writeFileSync(join(root, path), text);
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc], { cwd: root, encoding: 'utf8' }).stdout).toBe('');
    // On a busy machine, the default timeouts of five seconds and one second are too short.
    const patience = ['--testTimeout=60000', '--expect.poll.timeout=20000'];
    const env = { KUBEWRIGHT_EVENTUALLY_TIMEOUT: '40s' };
    const tested = await kubewright.run(['test', '--', ...patience], { cwd: root, env });
    expect(tested).toMatchObject({ code: 0, stdout: expect.stringMatching(/Tests {2}3 passed/) });
    rmSync(join(root, path));
    expect(await run('test')).toMatchObject({ code: 0, stdout: expect.stringMatching(/1 passed/) });
    expect(await run('test', '--', '-t', 'nothing')).toMatchObject({ code: 0 });
  });
});

describe('kubewright dev --ci', () => {
  it('rejects type errors, stalled samples and invalid samples', { timeout: 240_000 }, async () => {
    const mistyped = edit(controller(), 'data: { message: spec.message },', 'data: { message: spec.mesage },');
    const types = await kubewright.run(['dev', '--ci'], { cwd: root });
    expect(types).toMatchObject({ code: 1 });
    expect(types.stderr).toMatch(
      /^KW7507 the types of the project have errors\n {2}why: one error, the first in src\/controllers\/shop\.ts:\d+:\d+\n/m,
    );
    mistyped();
    const undeclared = edit(
      controller(),
      'data: { message: spec.message },',
      'dat: { message: spec.message } as never,',
    );
    const stalled = await kubewright.run(['dev', '--ci', '--no-type-check'], { cwd: root });
    expect(stalled).toMatchObject({ code: 1 });
    expect(stalled.stderr).toMatch(
      /^KW7307 the sample Shop shop-sample has been stalled for 5 s\n {2}why: .*\.dat: field not declared in schema\n/m,
    );
    undeclared();
    edit(join(root, 'config/samples/shop_v1_shop.yaml'), 'message:', 'mesage:');
    const invalid = await kubewright.run(['dev', '--ci', '--no-type-check'], { cwd: root });
    expect(invalid).toMatchObject({ code: 1 });
    expect(invalid.stderr).toMatch(
      /^KW7306 cannot apply the sample config\/samples\/shop_v1_shop\.yaml\n {2}why: .*mesage/m,
    );
  });
});
