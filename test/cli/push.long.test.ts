import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestRegistry } from '../../packages/controlplane/src/images/registry/testdata/test-registry.ts';
import { MachineImage } from '../../packages/controlplane/src/node/container/testdata/machine-image.ts';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';

const user = { username: 'ada', password: 'se:cret' };
const isRoot = process.getuid?.() === 0;
const isPossible =
  process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' ||
  (process.platform === 'linux' && spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', 'true']).status === 0);

describe.skipIf(!isPossible)('kubewright build --push (it needs Linux with user namespaces)', () => {
  let kubewright: CommandLine;
  let project: CliProject;
  let registry: TestRegistry;
  let folder: string;
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    await build();
    kubewright = await CommandLine.build();
    project = await cliProject(kubewright, 'attic');
    folder = mkdtempSync(join(tmpdir(), 'kw-push-'));
    env = { HOME: folder, XDG_DATA_HOME: join(folder, 'data') };
    registry = await TestRegistry.start();
    Object.assign(registry.behavior, { login: 'token', user });
    using machine = await MachineImage.create();
    const base = machine.layout(
      'node:1',
      { Entrypoint: ['/nodejs/bin/node'] },
      { '/nodejs/bin/node': process.execPath },
    );
    registry.addLayout(base, { repository: 'team/node', tag: '1' });
  }, 180_000);
  afterAll(async () => {
    await kubewright?.run(['cluster', 'down'], { cwd: project.root, env });
    await registry?.[Symbol.asyncDispose]();
    kubewright?.[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: readonly string[]) => kubewright.run(args, { cwd: project.root, env });
  const push = () => run('build', '--push', `${registry.host}/team/attic:1`, '--base', `${registry.host}/team/node:1`);

  it('reports that the user has to log in', async () => {
    const { code, stderr } = await push();
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/^KW5232 cannot log in to 127\.0\.0\.1:\d+\n {2}why: .*: credentials are required\n/m);
    expect(stderr).toContain('fix: log in with docker login, or ');
    expect((await run('build', '--plain-http')).stderr).toContain('cannot use --plain-http');
  }, 120_000);

  it('pushes an image that a cluster pulls and runs', async () => {
    mkdirSync(join(folder, '.docker'));
    const auths = { [registry.host]: { auth: btoa(`${user.username}:${user.password}`) } };
    writeFileSync(join(folder, '.docker', 'config.json'), JSON.stringify({ auths }));
    const image = `${registry.host}/team/attic:1`;
    const pushed = await push();
    expect(pushed).toMatchObject({ code: 0, stderr: '' });
    expect(pushed.stdout).toMatch(/✓ pushed +127\.0\.0\.1:\d+\/team\/attic:1 for linux\/(amd64|arm64)\n/);
    const [, digest] = /--image \S+(@sha256:[0-9a-f]{64})\n/.exec(pushed.stdout) ?? [];
    // The same sources give the same image.
    expect((await push()).stdout).toContain(`${image}${digest}\n`);
    expect(project.read('dist/install.yaml')).toContain(`image: ${image}\n`);
    const up = await run('cluster', 'up', '--background', '--driver', 'container', '--network', 'isolated');
    expect(up).toMatchObject({ code: 0 });
    expect(await run('images', 'pull', image)).toMatchObject({ code: 0, stderr: '' });
    // From now on, the registry is unreachable: the node must not need it.
    registry.behavior.intercept = (request) => !!request.destroy();
    const deployed = await run('deploy', '--image', image);
    expect(deployed).toMatchObject({ code: 0 });
    expect(deployed.stdout).toContain('available');
  }, 240_000);
});
