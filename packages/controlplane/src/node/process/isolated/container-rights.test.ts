import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigMap, type Container, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../../../cluster/embedded-cluster.ts';

const namespace = 'default';
const wait = { timeout: 20_000 };
const isPossible =
  process.platform === 'linux' && process.getuid?.() === 0 && spawnSync('unshare', ['-nm', 'true']).status === 0;

describe.skipIf(!isPossible)('containers of an isolated network run by root', () => {
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  /** Folder that is visible on this machine and in containers, and to which every user can write. */
  let shared: string;
  beforeAll(async () => {
    shared = mkdtempSync('/var/tmp/kw-rights-');
    chmodSync(shared, 0o1777);
    cluster = await EmbeddedCluster.start({ node: { network: 'isolated' } });
    client = cluster.client();
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(shared, { recursive: true, force: true });
  });

  const get = (name: string) => client.resource(Pod).get({ namespace, name });
  const create = (name: string, spec: Partial<NonNullable<Pod['spec']>>, container: Partial<Container> = {}) => {
    const containers = [{ name: 'c', image: 'busybox', ...container }];
    const common = { terminationGracePeriodSeconds: 0, restartPolicy: 'Never' as const, containers };
    return client.resource(Pod).create(Pod({ metadata: { name, namespace }, spec: { ...common, ...spec } }));
  };
  const stateOf = (name: string) => async () => (await get(name)).status?.containerStatuses?.[0]?.state;
  const isRunning = async (name: string): Promise<void> => {
    await expect.poll(async () => (await get(name)).status?.phase, wait).toBe('Running');
  };
  const exec = async (name: string, script: string): Promise<string> => {
    const running = await client.pods.exec({ namespace, name }, { command: ['sh', '-c', script] });
    const { stdout, stderr } = await running.text();
    return stdout + stderr;
  };
  const forever = { command: ['sh', '-c', 'id -u; exec sleep 1000'] };

  it('pass their environment to no program that runs as root', async () => {
    // The variables make the dynamic linker of each program that gets them write a file as the program's user.
    const env = [
      { name: 'LD_DEBUG', value: 'files' },
      { name: 'LD_DEBUG_OUTPUT', value: join(shared, 'ld') },
    ];
    await create('environment', {}, { ...forever, env });
    await isRunning('environment');
    await exec('environment', 'id');
    const owners = readdirSync(shared).map((name) => statSync(join(shared, name)).uid);
    expect(owners.length).toBeGreaterThan(1);
    expect(owners).not.toContain(0);
  });

  it('replace no program that runs as root', async () => {
    const log = join(shared, 'ids');
    const program = `#!/bin/bash\nid -u >> ${log}\n`;
    const programs = ['setpriv', 'unshare', 'nsenter', 'mount', 'umount', 'env'];
    const data = Object.fromEntries(programs.map((name) => [name, program]));
    await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'programs', namespace }, data }));
    const volumes = [{ name: 'programs', configMap: { name: 'programs', defaultMode: 0o755 } }];
    const volumeMounts = programs.map((name) => {
      const place = [`/usr/bin/${name}`, `/usr/sbin/${name}`].find(existsSync) ?? `/usr/bin/${name}`;
      return { name: 'programs', mountPath: place, subPath: name };
    });
    await create('programs', { volumes }, { ...forever, volumeMounts });
    await isRunning('programs');
    // The replaced programs exist, and only the container's user runs them.
    expect(await exec('programs', `setpriv; umount; cat ${log}`)).toMatch(/^([1-9]\d*)\n\1\n$/);
  });

  it('gain no rights through setuid programs', async () => {
    expect(await exec('programs', 'grep -E "NoNewPrivs|CapPrm" /proc/self/status')).toBe(
      'CapPrm:\t0000000000000000\nNoNewPrivs:\t1\n',
    );
  });

  it('start if their volumes hide all programs on this machine', async () => {
    const volumes = [{ name: 'empty', emptyDir: {} }];
    const volumeMounts = [{ name: 'empty', mountPath: '/usr/sbin' }];
    await create('hidden', { volumes }, { ...forever, volumeMounts });
    await isRunning('hidden');
    expect(await exec('hidden', 'ls /usr/sbin; ls -A /.volumes')).toBe('');
  });

  it('create no mount point through a symbolic link in a volume', async () => {
    const outside = join(shared, 'outside');
    mkdirSync(outside);
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'other', emptyDir: {} },
    ];
    const link = { name: 'link', image: 'busybox', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const initContainers = [{ ...link, command: ['ln', '-s', outside, '/data/link'] }];
    const volumeMounts = [
      { name: 'data', mountPath: '/data' },
      { name: 'other', mountPath: '/data/link/made' },
    ];
    await create('nested', { volumes, initContainers }, { ...forever, volumeMounts });
    const message = 'cannot mount a volume at /data/link/made: the path leads through a symbolic link in a volume';
    await expect
      .poll(stateOf('nested'), wait)
      .toMatchObject({ terminated: { reason: 'StartError', message: expect.stringContaining(message) } });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('create no working folder through a symbolic link in a volume', async () => {
    const outside = join(shared, 'elsewhere');
    mkdirSync(outside);
    const volumes = [{ name: 'data', emptyDir: {} }];
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const link = { name: 'link', image: 'busybox', volumeMounts, command: ['ln', '-s', outside, '/data/link'] };
    await create(
      'folder',
      { volumes, initContainers: [link] },
      { ...forever, volumeMounts, workingDir: '/data/link/made' },
    );
    await expect.poll(stateOf('folder'), wait).toMatchObject({ terminated: { reason: 'Error' } });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('cannot read a private folder on this machine below which a volume is mounted', async () => {
    const closed = join(shared, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    writeFileSync(join(closed, 'secret'), 'secret', { mode: 0o644 });
    const volumes = [{ name: 'data', emptyDir: {} }];
    const volumeMounts = [{ name: 'data', mountPath: join(closed, 'data') }];
    await create('closed', { volumes }, { ...forever, volumeMounts });
    await isRunning('closed');
    expect(await exec('closed', `cat ${closed}/secret`)).toContain('Permission denied');
  });
});
