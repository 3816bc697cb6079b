import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';

// Each test starts a compiler, a bundler, a cluster and an operator.
vi.setConfig({ testTimeout: 180_000 });

let kubewright: CommandLine;
let root: string;
const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  await kubewright.run(['init', 'guestbook', '--yes']);
  root = join(kubewright.folder, 'guestbook');
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

/** Returns the processes whose command line contains the project's path. */
function processes(): string {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(root)).join('\n');
}

describe('kubewright dev', () => {
  it('applies the samples with --ci, waits until they are ready, and exits', async () => {
    const { code, stdout, stderr } = await run('dev', '--ci');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('✓ type check passed\n');
    // The type check runs in parallel.
    const steps = stdout.split('\n').filter((line) => /^✓ (?!written|type check)/.test(line));
    expect(steps.map((line) => line.replace(/https:.*/, 'URL'))).toEqual([
      '✓ cluster ready        URL',
      '✓ kind installed       guestbooks.guestbook.example.com',
      '✓ operator started     as guestbook-system/guestbook-controller-manager',
      '✓ ready                Guestbook guestbook-sample',
      '✓ stopped',
    ]);
    expect(processes()).toBe('');
  });

  it('restarts the operator on save, reports mistakes, and leaves nothing behind', async () => {
    const dev = kubewright.start(['dev'], { cwd: root });
    const seen = (text: string | RegExp) => expect.poll(dev.stdout, { timeout: 30_000 }).toMatch(text);
    await seen(/controller guestbook started/);
    await seen('Save a file to restart');
    const controller = join(root, 'src/controllers/guestbook.ts');
    const good = readFileSync(controller, 'utf8');
    writeFileSync(controller, `${good}// saved\n`);
    await seen(/✓ operator restarted {3}\d+ ms/);
    writeFileSync(controller, good.replace('controller({', 'controller(('));
    await expect
      .poll(dev.stderr, { timeout: 30_000 })
      .toMatch(/KW7501 .*\n {2}why: [\s\S]*src\/controllers\/guestbook\.ts:\d+:\d+/);
    const api = join(root, 'src/api/v1/guestbook.ts');
    const type = readFileSync(api, 'utf8');
    writeFileSync(api, type.replace('@maxLength 1024', '@maxLength 1000'));
    writeFileSync(controller, good);
    // The changed kind is installed in the cluster, not only written to the file.
    await expect.poll(() => dev.stdout().split('kind installed').length, { timeout: 30_000 }).toBeGreaterThan(2);
    // The operator's account has exactly the permissions of its role.
    const account = join(root, '.kubewright/guestbook-system.guestbook-controller-manager.kubeconfig');
    const refused = await run('install', '--kubeconfig', account);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toMatch(
      /^KW7304 permission denied\n {2}why: .*guestbooks\.guestbook\.example\.com.* is forbidden/,
    );
    expect(refused.stderr).toContain(`    - apiGroups: ["apiextensions.k8s.io"]
      resources: ["customresourcedefinitions"]
      verbs: ["patch"]
`);
    dev.child.kill('SIGINT');
    expect(await dev.ended).toBe(0);
    expect(dev.stdout()).toMatch(/✓ stopped\n$/);
    expect(processes()).toBe('');
    writeFileSync(api, type);
  });

  it('fails with --ci if a sample does not become ready', async () => {
    const main = join(root, 'src/main.ts');
    const good = readFileSync(main, 'utf8');
    writeFileSync(main, `throw new Error('not today');\n`);
    const { code, stderr } = await run('dev', '--ci');
    writeFileSync(main, good);
    expect(code).toBe(1);
    expect(stderr).toMatch(/KW7502 the operator exited unexpectedly\n {2}why: exit code 1;/);
    expect(processes()).toBe('');
  });
});

describe('kubewright build, deploy', () => {
  it('requires an image and a cluster', async () => {
    await run('generate');
    expect(await run('deploy')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7503 cannot deploy the operator
  why: no image was specified, and the placeholder controller:latest does not exist
  fix: specify an image: kubewright deploy --image registry.example.com/guestbook:0.1.0
`,
    });
    const { code, stderr } = await run('install');
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^KW2201 no cluster is configured\n {2}why: --kubeconfig and KUBECONFIG are not set, .*\n {2}fix: set KUBECONFIG, /,
    );
  });

  it('builds one file that runs as a pod of the embedded cluster, and removes everything again', async () => {
    expect(await run('build', '--load', 'guestbook:dev')).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['main.mjs', 'main.mjs.map', 'Dockerfile'])
      expect(existsSync(join(root, 'dist', name))).toBe(true);
    const objects = parseAllDocuments(readFileSync(join(root, 'dist/install.yaml'), 'utf8')).map((each) => each.toJS());
    expect(objects.slice(0, 2).map(({ kind }) => kind)).toEqual(['Namespace', 'CustomResourceDefinition']);
    expect(objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0].image).toBe(
      'guestbook:dev',
    );
    expect(await run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
    try {
      // The timeout is long, because the operator waits and retries if another program uses its port.
      const deployed = await run('deploy', '--image', 'guestbook:dev', '--timeout', '110');
      expect(deployed).toMatchObject({ code: 0, stderr: '' });
      expect(deployed.stdout).toContain('✓ operator available   guestbook-controller-manager in guestbook-system\n');
      if (!isMissing('kubectl')) {
        const kubectl = (...args: readonly string[]) =>
          execFileSync('kubectl', ['--kubeconfig', join(root, '.kubewright/kubeconfig'), ...args], {
            encoding: 'utf8',
          });
        kubectl('apply', '-f', join(root, 'config/samples/guestbook_v1_guestbook.yaml'));
        const waited = kubectl('wait', '--for=condition=Ready', 'guestbook/guestbook-sample', '--timeout=30s');
        expect(waited).toContain('condition met');
      }
      // The image does not exist, so the previous pod keeps running. The previous pod must not count as the new one.
      const broken = await run('deploy', '--image', 'nobody-has-it:1', '--timeout', '110');
      expect(broken.code).toBe(1);
      expect(broken.stderr).toMatch(
        /^KW7307 the operator guestbook-system\/guestbook-controller-manager is not available after \d+ s\n {2}why: guestbook-controller-manager-\S+: (ErrImagePull|ImagePullBackOff): .*\n {2}fix: .*kubewright build --load IMAGE/s,
      );
      expect(Number(/after (\d+) s/.exec(broken.stderr)?.[1])).toBeLessThan(60);
      expect((await run('undeploy')).stdout).toMatch(/✓ operator removed/);
      const { code, stdout } = await run('uninstall');
      expect(code).toBe(0);
      expect(stdout).toContain('✓ kinds removed        1 of 1\n');
    } finally {
      await run('cluster', 'down');
    }
    expect(processes()).toBe('');
  });

  it('runs a single file', async () => {
    writeFileSync(
      join(kubewright.folder, 'one.ts'),
      "console.log('args', ...process.argv.slice(2)); process.exitCode = 7;\n",
    );
    expect(await kubewright.run(['run', 'one.ts', '--', '--flag'])).toEqual({
      code: 7,
      stdout: 'args --flag\n',
      stderr: '',
    });
    writeFileSync(join(kubewright.folder, 'two.ts'), "const text: string = 'x';\nJSON.parse(text);\n");
    const failed = await kubewright.run(['run', 'two.ts']);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      /^\n*SyntaxError: .*\n {4}two\.ts:2:\d+\n {6}1 \| const text: string = 'x';\n {6}2 \| JSON/,
    );
  });
});
