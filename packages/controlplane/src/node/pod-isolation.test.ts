import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeCluster, startNodeCluster } from './testdata/node-cluster.ts';
import { makeReady } from './testdata/ready-namespace.ts';

const isRoot = process.getuid?.() === 0;
const notRoot = 'needs root: only root can run pods as other users';
const namespace = 'default';
const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount/token';

describe('pods of a node run by root', () => {
  let cluster: NodeCluster;
  beforeAll(async () => {
    if (!isRoot) return;
    cluster = await startNodeCluster();
    await makeReady(cluster.admin, namespace);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const create = (name: string, spec: Partial<NonNullable<Pod['spec']>>): Promise<Pod> =>
    cluster.admin.resource(Pod).create(
      Pod({
        metadata: { name, namespace },
        spec: { terminationGracePeriodSeconds: 2, restartPolicy: 'Never', containers: [], ...spec },
      }),
    );
  const script = (line: string, more: object = {}) => ({
    name: 'c',
    image: 'busybox',
    command: ['sh', '-c', line],
    ...more,
  });
  const get = (name: string): Promise<Pod> => cluster.admin.resource(Pod).get({ namespace, name });
  const logOf = async (name: string, container = 'c'): Promise<string> => {
    const options = { container, follow: false, previous: false, timestamps: false };
    const signal = new AbortController().signal;
    let text = '';
    for await (const piece of await cluster.node.connector.logs(await get(name), { ...options, signal })) {
      text += Buffer.from(piece).toString('utf8');
    }
    return text;
  };
  const phase = (name: string) => async () => (await get(name)).status?.phase;
  const remove = async (name: string): Promise<void> => {
    await cluster.admin.resource(Pod).delete({ namespace, name });
    const isGone = async () => get(name).then(() => false, isNotFound);
    await expect.poll(isGone, { timeout: 30_000 }).toBe(true);
  };

  it("cannot read another pod's token, signal its processes or see their environment", async (context) => {
    if (!isRoot) return context.skip(notRoot);
    await create('victim', { containers: [script(`echo "$$$$ ${tokenPath} $(id -u) $(id -g)"; exec sleep 1000`)] });
    await expect.poll(() => logOf('victim').catch(() => ''), { timeout: 30_000 }).toMatch(/\/token \d+ \d+\n/);
    const [, pid, token = '', uid, gid] = /(\d+) (\S+) (\d+) (\d+)\n/.exec(await logOf('victim')) ?? [];
    expect(statSync(token).uid).toBe(Number(uid));
    expect(gid).toBe(uid);
    const lines = [
      `cat ${token} && echo read`,
      `kill -0 ${pid} && echo seen`,
      `kill -9 ${pid} && echo killed`,
      `cat /proc/${pid}/environ && echo environment`,
      `ls -d /proc/${pid}/cwd/ && echo folder`,
      `test -r ${tokenPath} && echo own token`,
      'id -u',
    ];
    await create('attacker', { containers: [script(`${lines.join('; ')}; exit 0`)] });
    await expect.poll(phase('attacker'), { timeout: 30_000 }).toBe('Succeeded');
    const log = await logOf('attacker');
    expect(log).not.toMatch(/^(read|seen|killed|environment|folder)$/m);
    expect(log).toMatch(/^own token$/m);
    expect(log).toMatch(/^\d+$/m);
    expect(/^(\d+)$/m.exec(log)?.[1]).not.toBe(uid);
    expect(await phase('victim')()).toBe('Running');
    await remove('victim');
    expect(() => statSync(token)).toThrow('ENOENT');
    return undefined;
  });

  it('pass their environment to no program that runs as root', async (context) => {
    if (!isRoot) return context.skip(notRoot);
    const folder = mkdtempSync(join(tmpdir(), 'kw-environment-'));
    chmodSync(folder, 0o1777);
    // With these variables, the dynamic linker of each program writes a file, which belongs to the program's user.
    const env = [
      { name: 'LD_DEBUG', value: 'files' },
      { name: 'LD_DEBUG_OUTPUT', value: join(folder, 'ld') },
    ];
    await create('environment', { securityContext: { fsGroup: 4711 }, containers: [script('id -G', { env })] });
    await expect.poll(phase('environment'), { timeout: 30_000 }).toBe('Succeeded');
    expect(await logOf('environment')).toContain('4711');
    const owners = readdirSync(folder).map((name) => statSync(join(folder, name)).uid);
    rmSync(folder, { recursive: true });
    expect(owners.length).toBeGreaterThan(0);
    expect(owners).not.toContain(0);
    return undefined;
  });

  it('cannot enter a closed folder through a link as the working folder', async (context) => {
    if (!isRoot) return context.skip(notRoot);
    const closed = mkdtempSync(join(tmpdir(), 'kw-closed-'));
    const open = join(closed, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    writeFileSync(join(open, 'secret'), 'secret', { mode: 0o644 });
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    await create('linked', {
      volumes: [{ name: 'data', emptyDir: {} }],
      initContainers: [{ name: 'link', image: 'busybox', command: ['ln', '-s', open, '/data/link'], volumeMounts }],
      containers: [script('cat secret', { volumeMounts, workingDir: '/data/link' })],
    });
    await expect.poll(phase('linked'), { timeout: 30_000 }).toBe('Failed');
    rmSync(closed, { recursive: true });
    const [container] = (await get('linked')).status?.containerStatuses ?? [];
    expect(container?.state?.terminated).toMatchObject({
      reason: 'StartError',
      message: expect.stringMatching(/chdir to cwd \(".*link"\) set in config.json failed: permission denied/),
    });
    return undefined;
  });

  it('share volumes among containers of different users, and with no other pod', async (context) => {
    if (!isRoot) return context.skip(notRoot);
    const mounts = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] };
    await create('mixed', {
      initContainers: [script('umask 007; id -u > /shared/who; ls -ld /shared', mounts)],
      containers: [
        script(`cat /shared/who && test -r ${tokenPath} && id -u`, {
          ...mounts,
          securityContext: { runAsUser: 54_321 },
        }),
      ].map((container) => ({ ...container, name: 'main' })),
      volumes: [{ name: 'shared', emptyDir: {} }],
    });
    await expect.poll(phase('mixed'), { timeout: 30_000 }).toMatch(/Succeeded|Failed/);
    expect(await logOf('mixed')).toMatch(/^drwxrws---/m);
    expect(await logOf('mixed', 'main')).toMatch(/^\d{10}\n54321$/m);
    return undefined;
  });

  it('read files that other pods left in a claim, as any user', async (context) => {
    if (!isRoot) return context.skip(notRoot);
    await claim('handed-on');
    const use = async (name: string, line: string, runAsUser?: number): Promise<string> => {
      const securityContext = runAsUser === undefined ? {} : { securityContext: { runAsUser } };
      await create(name, {
        containers: [script(line, { volumeMounts: [{ name: 'data', mountPath: '/data' }], ...securityContext })],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'handed-on' } }],
      });
      await expect.poll(phase(name), { timeout: 30_000 }).toMatch(/Succeeded|Failed/);
      const log = await logOf(name);
      await remove(name);
      return log;
    };
    await use('first', 'umask 077; mkdir /data/below; echo one > /data/below/file');
    const log = await use('second', 'umask 077; cat /data/below/file && echo two >> /data/below/file', 54_321);
    expect(log).toContain('one\n');
    expect(await use('third', 'cat /data/below/file; stat -c %a /data/below')).toContain('one\ntwo\n700\n');
    return undefined;
  });

  it('rerun PostgreSQL on the data of a claim', async (context) => {
    if (!isRoot) return context.skip(notRoot);
    await claim('database');
    const start = () =>
      create('db', {
        containers: [
          {
            name: 'c',
            image: 'postgres:17',
            env: [
              { name: 'POSTGRES_USER', value: 'owner' },
              { name: 'POSTGRES_PASSWORD', value: 'secret' },
            ],
            readinessProbe: { tcpSocket: { port: 5432 }, periodSeconds: 1 },
            volumeMounts: [{ name: 'data', mountPath: '/var/lib/postgresql/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'database' } }],
      });
    const isReady = async () => (await get('db')).status?.containerStatuses?.[0]?.ready;
    for (const expected of ['PostgreSQL init process complete', 'Skipping initialization']) {
      await start();
      await expect.poll(isReady, { timeout: 30_000 }).toBe(true);
      expect(await logOf('db')).toContain(expected);
      // The server creates a database with the user's name in single-user mode.
      expect((await get('db')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
      await remove('db');
    }
    return undefined;
  }, 60_000);

  async function claim(name: string): Promise<void> {
    await cluster.admin.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name, namespace },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    );
  }
});
