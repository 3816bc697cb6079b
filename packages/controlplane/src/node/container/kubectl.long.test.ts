import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../../cluster/embedded-cluster.ts';
import { MachineImage } from './testdata/machine-image.ts';

const isRoot = process.getuid?.() === 0;
/** With `KUBEWRIGHT_REQUIRE_ALL=1`, tests run and fail instead of being skipped where something is missing. */
const isPossible =
  process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' ||
  (process.platform === 'linux' &&
    spawnSync('kubectl', ['version', '--client']).status === 0 &&
    spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', 'true']).status === 0);
const wait = { timeout: 30_000 };

describe.skipIf(!isPossible)('containers used through kubectl (they need Linux with user namespaces)', () => {
  let folder: string;
  let image: MachineImage;
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kw-kubectl-'));
    image = await MachineImage.create();
    cluster = await EmbeddedCluster.start({
      directory: join(folder, 'state'),
      node: { driver: 'container', imageStore: image.folder },
    });
  }, 60_000);
  afterAll(async () => {
    await cluster?.stop();
    image?.[Symbol.dispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs kubectl asynchronously: the server is in this process and must not be blocked. */
  const kubectl = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
    return stdout;
  };
  const apply = async (...items: readonly object[]): Promise<void> => {
    const file = join(folder, 'objects.json');
    writeFileSync(file, items.map((item) => JSON.stringify(item)).join('\n'));
    await kubectl('apply', '-f', file);
  };

  it('run, log, execute commands and copy files', { timeout: 60_000 }, async () => {
    await kubectl('run', 'one', '--image=machine:1', '--command', '--', 'sh', '-c', 'echo started; sleep 1000');
    await kubectl('wait', '--for=condition=Ready', 'pod/one', '--timeout=30s');
    await expect.poll(() => kubectl('logs', 'one'), wait).toBe('started\n');
    expect(await kubectl('exec', 'one', '--', 'hostname')).toBe('one\n');
    await expect(kubectl('exec', 'one', '--', 'sh', '-c', 'exit 42')).rejects.toMatchObject({ code: 42 });
    writeFileSync(join(folder, 'sent'), 'there and back');
    await kubectl('cp', join(folder, 'sent'), 'one:/tmp/file');
    await kubectl('cp', 'one:/tmp/file', join(folder, 'received'));
    expect(readFileSync(join(folder, 'received'), 'utf8')).toBe('there and back');
    await kubectl('delete', 'pod', 'one', '--grace-period=1', '--timeout=30s');
  });

  it('debug a container with its processes', { timeout: 60_000 }, async () => {
    await kubectl('run', 'app', '--image=machine:1', '--command', '--', 'sh', '-c', 'sleep 1000 & exec sleep 2000');
    await kubectl('wait', '--for=condition=Ready', 'pod/app', '--timeout=30s');
    const flags = ['--profile=general', '--image=machine:1', '-c', 'debugger', '--target=app'];
    const script = 'cat /proc/[0-9]*/cmdline; echo; echo done; exec sleep 3000';
    await kubectl('debug', 'app', ...flags, '--', 'sh', '-c', script);
    await expect.poll(() => kubectl('logs', 'app', '-c', 'debugger'), wait).toContain('done');
    const commands = (await kubectl('logs', 'app', '-c', 'debugger')).replaceAll('\0', ' ');
    expect(commands).toMatch(/^sleep 2000 sleep 1000 /);
    const started = 'sleep 4000 & sleep 4001 & sleep 0.1; echo started';
    await kubectl('debug', 'app', ...flags.with(3, 'second'), '--', 'sh', '-c', started);
    const ended = '{.status.ephemeralContainerStatuses[?(@.name=="second")].state.terminated.exitCode}';
    await expect.poll(() => kubectl('get', 'pod', 'app', '-o', `jsonpath=${ended}`), wait).toBe('0');
    expect(await kubectl('logs', 'app', '-c', 'second')).toBe('started\n');
    // The processes that it left behind end with it.
    const left = await kubectl('exec', 'app', '--', 'sh', '-c', 'cat /proc/[0-9]*/cmdline');
    const running = left.split('\0').filter((word) => /^\d{4}$/.test(word));
    expect(running.sort()).toEqual(['1000', '2000', '3000']);
    await kubectl('delete', 'pod', 'app', '--grace-period=1', '--timeout=30s');
  });

  it('do not start a debug container whose target has ended', { timeout: 60_000 }, async () => {
    const containers = [
      { name: 'ended', image: 'machine:1', command: ['sh', '-c', 'exit 0'] },
      { name: 'main', image: 'machine:1', command: ['sleep', '1000'] },
    ];
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'half' },
      spec: { restartPolicy: 'Never', containers },
    });
    const read = (path: string) => kubectl('get', 'pod', 'half', '-o', `jsonpath={.status.${path}}`);
    await expect.poll(() => read('containerStatuses[0].state.terminated.reason'), wait).toBe('Completed');
    const flags = ['--profile=general', '--image=machine:1', '-c', 'debugger', '--target=ended'];
    await kubectl('debug', 'half', ...flags, '--', 'sleep', '1000');
    const state = 'ephemeralContainerStatuses[0].state.waiting';
    await expect.poll(() => read(`${state}.reason`), wait).toBe('CreateContainerConfigError');
    expect(await read(`${state}.message`)).toBe('unable to find target container ended');
    await kubectl('delete', 'pod', 'half', '--grace-period=1', '--timeout=30s');
  });

  it('roll out a Deployment with an init container and a ConfigMap', { timeout: 90_000 }, async () => {
    const shared = [{ name: 'work', mountPath: '/work' }];
    const deployment = (text: string) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            volumes: [
              { name: 'work', emptyDir: {} },
              { name: 'conf', configMap: { name: 'conf' } },
            ],
            initContainers: [
              {
                name: 'prepare',
                image: 'machine:1',
                command: ['sh', '-c', `echo "prepared ${text}" > /work/file`],
                volumeMounts: shared,
              },
            ],
            containers: [
              {
                name: 'main',
                image: 'machine:1',
                command: [
                  'sh',
                  '-c',
                  'cat /work/file /etc/conf/greeting; trap "exit 0" TERM; while :; do sleep 0.1; done',
                ],
                readinessProbe: { exec: { command: ['cat', '/work/file'] }, periodSeconds: 1 },
                volumeMounts: [...shared, { name: 'conf', mountPath: '/etc/conf' }],
              },
            ],
          },
        },
      },
    });
    await apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'conf' }, data: { greeting: 'hello\n' } },
      deployment('a'),
    );
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    await expect.poll(() => kubectl('logs', 'deployment/web', '-c', 'main'), wait).toBe('prepared a\nhello\n');
    await apply(deployment('b'));
    await kubectl('rollout', 'status', 'deployment/web', '--timeout=30s');
    await expect.poll(() => kubectl('logs', '-l', 'app=web', '-c', 'main'), wait).toBe('prepared b\nhello\n'.repeat(2));
    await kubectl('delete', 'deployment', 'web', '--cascade=foreground', '--timeout=30s');
    expect(await kubectl('get', 'pods', '-l', 'app=web', '-o', 'name')).toBe('');
  });
});
