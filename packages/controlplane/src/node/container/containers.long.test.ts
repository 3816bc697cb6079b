import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { ConfigMap, type Container, Event, PersistentVolumeClaim, Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../../cluster/embedded-cluster.ts';
import { TestRegistry } from '../../images/registry/testdata/test-registry.ts';
import { MachineImage } from './testdata/machine-image.ts';

const namespace = 'default';
const wait = { timeout: 20_000 };
const isRoot = process.getuid?.() === 0;
/** With `KUBEWRIGHT_REQUIRE_ALL=1`, tests run and fail instead of being skipped where namespaces are unavailable. */
const isPossible =
  process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' ||
  (process.platform === 'linux' && spawnSync('unshare', [...(isRoot ? [] : ['-Ur']), '-nm', 'true']).status === 0);

describe.skipIf(!isPossible)('containers (they need Linux with user namespaces)', () => {
  let image: MachineImage;
  let cluster: EmbeddedCluster;
  let client: KubernetesClient;
  beforeAll(async () => {
    image = await MachineImage.create({
      Entrypoint: ['sh', '-c'],
      Cmd: ['echo "$GREETING from $(pwd)"'],
      Env: ['GREETING=hello'],
      WorkingDir: '/srv/new',
    });
    cluster = await EmbeddedCluster.start({
      node: { driver: 'container', imageStore: image.folder, network: 'isolated' },
    });
    client = cluster.client();
  }, 60_000);
  afterAll(async () => {
    await cluster?.stop();
    image?.[Symbol.dispose]();
  });

  const get = (name: string) => client.resource(Pod).get({ namespace, name });
  const container = (more: Partial<Container> = {}): Container => ({ name: 'c', image: 'machine:1', ...more });
  const create = (name: string, spec: Partial<NonNullable<Pod['spec']>> = {}) =>
    client.resource(Pod).create(
      Pod({
        metadata: { name, namespace },
        spec: { terminationGracePeriodSeconds: 1, restartPolicy: 'Never', containers: [container()], ...spec },
      }),
    );
  const logOf = async (name: string, more: object = {}): Promise<string> => {
    const { body } = await client.pods.logs({ namespace, name }, more);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const ended = async (name: string) => {
    await expect.poll(async () => (await get(name)).status?.phase, wait).toMatch(/Succeeded|Failed/);
    return (await get(name)).status?.containerStatuses?.[0]?.state?.terminated;
  };
  /** Runs a shell script in a pod and returns its output. */
  const run = async (
    name: string,
    script: string,
    { pod, own }: { pod?: Partial<NonNullable<Pod['spec']>>; own?: Partial<Container> } = {},
  ): Promise<string> => {
    await create(name, { ...pod, containers: [container({ args: [script], ...own })] });
    await ended(name);
    return logOf(name);
  };
  const exec = async (name: string, command: readonly string[], more: object = {}) =>
    (await client.pods.exec({ namespace, name }, { command, ...more })).text();
  const running = (name: string) =>
    expect.poll(async () => (await get(name)).status?.containerStatuses?.[0]?.ready, wait).toBe(true);
  const eventsOf = async (name: string): Promise<readonly string[]> =>
    (await client.resource(Event).list({ namespace })).items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ reason, message }) => `${reason}: ${message}`);
  const remove = async (name: string): Promise<void> => {
    await client.resource(Pod).delete({ namespace, name });
    await expect.poll(() => get(name).then(() => false, isNotFound), wait).toBe(true);
  };

  it("run the image's program with its environment, in its working folder", async () => {
    await create('plain');
    expect(await ended('plain')).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(await logOf('plain')).toBe('hello from /srv/new\n');
    const [status] = (await get('plain')).status?.containerStatuses ?? [];
    expect(status?.imageID).toMatch(/^docker\.io\/library\/machine@sha256:[0-9a-f]{64}$/);
    expect(await eventsOf('plain')).toContain(
      'Pulled: Container image "machine:1" already present on machine and can be accessed by the pod',
    );
  });

  it('see only their own files and processes', async () => {
    const secret = mkdtempSync(join(tmpdir(), 'kw-outside-'));
    writeFileSync(join(secret, 'file'), 'visible', { mode: 0o644 });
    const lines = [
      'exec 2>&1; ls /',
      'for p in /proc/[0-9]*; do echo "$p"; done',
      `cat ${secret}/file; ls /proc/1/root/work /proc/1/cwd/../../../../work`,
      'hostname; readlink /proc/self/ns/pid; ls /sys/class/net; ls /dev; ls -l /proc/1/fd',
      'echo tried > /dev/null; mktemp -p /dev/shm; echo "env $(env)"',
    ];
    const out = await run('alone', lines.join('\n'), { own: { env: [{ name: 'OWN', value: 'x $(id) "' }] } });
    rmSync(secret, { recursive: true });
    expect(out).not.toContain('visible');
    expect(out.match(/^\/proc\/\d+/gm)).toEqual(['/proc/1']);
    expect(out).toContain('bin\ndev\netc\nhome\nlib');
    expect(out).toMatch(/\nalone\npid:\[\d+\]\neth0\nlo\n/);
    expect(out).toContain('\nOWN=x $(id) "\n');
    expect(out).not.toMatch(/KUBEWRIGHT_CONTAINER|__kw/);
    // The container inherits no file descriptor of this machine.
    const leaks = out.match(/ \d+ -> .*/g)?.filter((line) => !/ [012] -> /.test(line) && !line.endsWith(' /dev/null'));
    expect(leaks).toEqual([]);
  });

  it('warn about limits and profiles that are not enforced', async () => {
    const own = {
      resources: { limits: { memory: '64Mi', cpu: '1' } },
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    } as const;
    await run('unlimited', 'true', { own });
    const warnings = (await eventsOf('unlimited')).filter((event) => event.startsWith('NotEnforced'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^NotEnforced: Not enforced by this node: (memory limits \(c\), cpu|cpu limits \(c\), memory) limits \(c\), seccomp profile RuntimeDefault \(c\)$/,
    );
  });

  it('report exit codes and signals', async () => {
    await create('seven', { containers: [container({ args: ['echo bad > /dev/termination-log; exit 7'] })] });
    await create('killed', { containers: [container({ args: ['kill -9 1; exit 9'] })] });
    expect(await ended('seven')).toMatchObject({ exitCode: 7, reason: 'Error', message: 'bad\n' });
    // A process cannot kill the first process of its namespace.
    expect(await ended('killed')).toMatchObject({ exitCode: 9 });
  });

  it.each([
    ['missing', { command: ['nothing'] }, 'exec: "nothing": executable file not found in $PATH'],
    ['closed', { command: ['/etc/passwd'] }, 'exec: "/etc/passwd": permission denied'],
    ['absent', { command: ['./x'] }, 'exec: "./x": stat ./x: no such file or directory'],
  ])('do not start with a program that is %s', async (name, own, message) => {
    await create(name, { containers: [container(own)] });
    expect(await ended(name)).toMatchObject({
      exitCode: 128,
      reason: 'StartError',
      message: expect.stringContaining(message),
    });
  });

  it("run as the image's or the pod's user", async () => {
    await image.add('user:1', { Entrypoint: ['sh', '-c'], User: 'app' });
    const script = 'echo "$(id -u) $HOME"; touch /tmp/mine && stat -c %u /tmp/mine';
    expect(await run('image-user', script, { own: { image: 'user:1' } })).toBe('1000 /home/app\n1000\n');
    const pod = { securityContext: { runAsUser: 12, runAsGroup: 34 } };
    expect(await run('pod-user', 'id -u; id -g', { pod })).toBe('12\n34\n');
    if (isRoot)
      expect(
        await run('groups', 'id -G', { own: { image: 'user:1' }, pod: { securityContext: { fsGroup: 99 } } }),
      ).toBe('1000 99 1001\n');
  });

  it('do not run as root if the pod forbids it', async () => {
    const securityContext = { runAsNonRoot: true };
    await create('root', { containers: [container({ securityContext })] });
    const waiting = async () => (await get('root')).status?.containerStatuses?.[0]?.state?.waiting;
    await expect.poll(waiting, wait).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: expect.stringContaining('container has runAsNonRoot and image will run as root'),
    });
  });

  it('have no more rights than they request', async () => {
    const status =
      'while read -r key value; do case $key in CapEff:|CapBnd:|NoNewPrivs:) echo "$key $value";; esac; done < /proc/self/status';
    const more = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['KILL'] },
    };
    const out = await run(
      'limited',
      `exec 2>&1; ${status}; touch /x || touch /tmp/x || touch /dev/shm/x && echo shared`,
      {
        own: { securityContext: more },
      },
    );
    expect(out).toContain('CapEff: 0000000000000020\nCapBnd: 0000000000000020\nNoNewPrivs: 1\n');
    expect(out.match(/Read-only file system/g)).toHaveLength(2);
    expect(out).toMatch(/shared\n$/);
    expect(await run('usual', status)).toContain('CapEff: 00000000a80425fb\n');
  });

  it('mount volumes at their paths', async () => {
    await client
      .resource(ConfigMap)
      .create(ConfigMap({ metadata: { name: 'conf', namespace }, data: { k: 'v', l: 'w' } }));
    await client
      .resource(Secret)
      .create(Secret({ metadata: { name: 'pass', namespace }, stringData: { word: 'open' } }));
    await client.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name: 'data', namespace },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      }),
    );
    const volumes = [
      { name: 'conf', configMap: { name: 'conf' } },
      { name: 'pass', secret: { secretName: 'pass' } },
      { name: 'shared', emptyDir: {} },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
    ];
    const volumeMounts = [
      { name: 'conf', mountPath: '/etc/conf', readOnly: true },
      { name: 'conf', mountPath: '/srv/new/one', subPath: 'l' },
      { name: 'pass', mountPath: '/run/pass' },
      { name: 'shared', mountPath: '/shared' },
      { name: 'shared', mountPath: '/shared/below', subPath: 'other/place' },
      { name: 'data', mountPath: '/data' },
    ];
    const script = [
      'exec 2>&1; cat /etc/conf/k one /run/pass/word /shared/begun; touch /etc/conf/x',
      'echo b > /shared/below/f; cat /shared/other/place/f; touch /data/$(hostname); ls /data',
      'cat /var/run/secrets/kubernetes.io/serviceaccount/namespace; echo',
      'while read -r ip name; do case $ip in 10.244.*) echo "$ip is $name";; esac; done < /etc/hosts; cat /etc/hostname /etc/resolv.conf',
    ].join('; ');
    const initContainers = [container({ name: 'init', args: ['echo -n begun > /shared/begun'], volumeMounts })];
    const out = await run('volumes', script, { pod: { volumes, initContainers }, own: { volumeMounts } });
    const ip = (await get('volumes')).status?.podIP;
    expect(out).toMatch(/^vwopenbegun/);
    expect(out).toMatch(/Read-only file system/);
    expect(out).toContain(`file system\nb\nvolumes\ndefault\n${ip} is volumes\nvolumes\n`);
    expect(out).toContain('search default.svc.cluster.local');
    await remove('volumes');
    expect(await run('again', 'ls /data', { pod: { volumes }, own: { volumeMounts } })).toBe('volumes\n');
  });

  it('run additional commands', async () => {
    const env = [
      { name: 'WORD', value: 'two words' },
      { name: 'LD_LIBRARY_PATH', value: '/opt/lib' },
    ];
    await create('beside', { containers: [container({ args: ['echo up; sleep 1000'], env, tty: false })] });
    await running('beside');
    const line = 'echo "$WORD $LD_LIBRARY_PATH $(pwd) $$"; exit 3';
    expect(await exec('beside', ['sh', '-c', line])).toMatchObject({
      exitCode: 3,
      stdout: expect.stringMatching(/^two words \/opt\/lib \/srv\/new \d+\n$/),
    });
    const missing = await exec('beside', ['nothing']);
    expect(missing).toMatchObject({ exitCode: 127, stderr: expect.stringContaining('executable file not found') });
    // As kubectl cp does.
    await exec('beside', ['sh', '-c', 'mkdir /tmp/copied && tar xf - -C /tmp/copied'], {
      stdin: spawnSync('tar', ['cf', '-', '-C', '/etc', 'hostname']).stdout,
    });
    expect((await exec('beside', ['ls', '/tmp/copied'])).stdout).toBe('hostname\n');
    const on = async (tty: boolean) =>
      (await exec('beside', ['sh', '-c', 'test -t 0 && echo terminal; id -u'], { tty, stdin: '' })).stdout;
    expect(await on(true)).toBe('terminal\r\n0\r\n');
    expect(await on(false)).toBe('0\n');
  });

  it('share a pid namespace if the pod says so', async () => {
    const script = 'sleep 5000 & (sleep 0.1 & exit 0); until test -e /end; do sleep 0.1; done';
    await create('shared', {
      shareProcessNamespace: true,
      containers: [
        container({ args: ['sleep 6000'] }),
        container({ name: 'other', args: [script] }),
        container({ name: 'odd', args: ['sleep 7000'], env: [{ name: 'a.b', value: 'x' }] }),
      ],
    });
    await expect
      .poll(async () => (await get('shared')).status?.containerStatuses?.every(({ ready }) => ready), wait)
      .toBe(true);
    const shell = async (line: string, more: object = {}) => {
      const { stdout, stderr } = await exec('shared', ['sh', '-c', line], { container: 'c', ...more });
      return `${stdout}${stderr}`.replaceAll('\0', ' ');
    };
    const commands = () => shell('for p in /proc/[0-9]*; do cat $p/cmdline; echo; done');
    const all = await commands();
    for (const line of ['sleep 5000', 'sleep 6000', 'sleep 7000']) expect(all).toContain(line);
    // The first process belongs to this machine: it is closed to containers, and they cannot end it.
    expect(await shell('ls /proc/1/root; cat /proc/1/environ; kill -9 1 2>/dev/null')).toMatch(
      /^ls: [^\n]*Permission denied\ncat: [^\n]*Permission denied\n+$/,
    );
    // Orphans do not stay as zombies.
    await expect.poll(() => shell('cat /proc/[0-9]*/stat'), wait).not.toMatch(/\) Z /);
    await exec('shared', ['touch', '/end'], { container: 'other' });
    const end = async () =>
      (await get('shared')).status?.containerStatuses?.find(({ name }) => name === 'other')?.state?.terminated
        ?.exitCode;
    await expect.poll(end, wait).toBe(0);
    // Processes that outlive the first process of their container end with the container.
    expect(await commands()).not.toContain('sleep 5000');
    expect(await commands()).toContain('sleep 6000');
    await remove('shared');
    const left = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(left).not.toMatch(/^sleep [567]000$/m);
  });

  it('stop on their signal, or are killed after the grace period', async () => {
    const trap = (signal: string) =>
      `trap 'echo got ${signal}; exit 5' ${signal}; echo up; while :; do sleep 0.05; done`;
    await image.add('stops:1', { Entrypoint: ['sh', '-c'], StopSignal: 'SIGINT' });
    await create('polite', { terminationGracePeriodSeconds: 20, containers: [container({ args: [trap('TERM')] })] });
    await create('other', {
      terminationGracePeriodSeconds: 20,
      containers: [container({ image: 'stops:1', args: [trap('INT')] })],
    });
    await create('deaf', { containers: [container({ args: ['sleep 1000 & sleep 1000'] })] });
    const streams = [];
    for (const [name, text] of [
      ['polite', 'got TERM'],
      ['other', 'got INT'],
    ] as const) {
      await expect.poll(() => logOf(name).catch(() => ''), wait).toContain('up');
      streams.push({ text, log: logOf(name, { follow: true }) });
    }
    const started = performance.now();
    await Promise.all([remove('polite'), remove('other'), remove('deaf')]);
    for (const { text, log } of streams) expect(await log).toContain(text);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it('are restarted with fresh files, and keep the log of the previous attempt', async () => {
    const readinessProbe = { exec: { command: ['ls', '/ready'] }, periodSeconds: 1 };
    const args = ['echo "files: $(ls /once 2>/dev/null)"; touch /once; touch /ready; sleep 0.2; exit 1'];
    await create('crashing', { restartPolicy: 'Always', containers: [container({ args, readinessProbe })] });
    const status = async () => (await get('crashing')).status?.containerStatuses?.[0];
    await expect.poll(async () => (await status())?.restartCount, { timeout: 30_000 }).toBeGreaterThan(0);
    await expect
      .poll(async () => (await status())?.state?.waiting?.reason, { timeout: 30_000 })
      .toBe('CrashLoopBackOff');
    expect(await logOf('crashing', { previous: true })).toBe('files: \n');
    await remove('crashing');
  });

  it('wait for images that are not in the store', async () => {
    await create('never', { containers: [container({ image: 'none:1', imagePullPolicy: 'Never' })] });
    await create('pulled', { containers: [container({ image: '127.0.0.1:1/none:1' })] });
    const waiting = async (name: string) => (await get(name)).status?.containerStatuses?.[0]?.state?.waiting;
    await expect.poll(async () => (await waiting('never'))?.reason, wait).toBe('ErrImageNeverPull');
    expect((await waiting('never'))?.message).toMatch(
      /^Container image "none:1" is not present with pull policy of Never/,
    );
    await expect.poll(async () => (await waiting('pulled'))?.reason, wait).toBe('ImagePullBackOff');
    expect(await eventsOf('pulled')).toContainEqual(
      expect.stringMatching(
        /^Failed: Failed to pull image "127.0.0.1:1\/none:1": .*ECONNREFUSED.*kubewright images load FILE/,
      ),
    );
    // The image is found as soon as it is loaded.
    await image.add('none:1', { Cmd: ['sh', '-c', 'echo loaded'] });
    await expect.poll(async () => (await get('never')).status?.phase, { timeout: 30_000 }).toBe('Succeeded');
  });

  it('end even if their files cannot be removed yet', async (context) => {
    const { metadata } = await create('busy', {
      containers: [container({ args: ['until test -e /end; do :; done'] })],
    });
    await running('busy');
    const ownFolder = metadata.uid?.replaceAll('-', '').slice(0, 12) ?? '';
    const root = readdirSync(tmpdir()).map((name) => join(tmpdir(), name, ownFolder, 'c.r'));
    const place = join(root.find(existsSync) ?? '', 'mounted');
    mkdirSync(place);
    if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]).status !== 0) return context.skip('needs root and mount');
    try {
      await exec('busy', ['touch', '/end']);
      expect(await ended('busy')).toMatchObject({ exitCode: 0 });
    } finally {
      spawnSync('umount', [place]);
    }
    await remove('busy');
    await expect.poll(() => existsSync(place), wait).toBe(false);
    return undefined;
  });

  it('run an image that is pulled with the credentials of a Secret', async () => {
    await using registry = await TestRegistry.start();
    const user = { username: 'ada', password: 'secret' };
    Object.assign(registry.behavior, { login: 'token', user });
    registry.addLayout(image.layout('remote:1', { Cmd: ['sh', '-c', 'echo pulled'] }), { repository: 'app', tag: '1' });
    const auths = JSON.stringify({ auths: { [registry.host]: user } });
    const login = { metadata: { name: 'login', namespace }, stringData: { '.dockerconfigjson': auths } };
    await client.resource(Secret).create(Secret({ ...login, type: 'kubernetes.io/dockerconfigjson' }));
    const name = `${registry.host}/app:1`;
    const containers = [container({ image: name, imagePullPolicy: 'Always' })];
    await create('remote', { imagePullSecrets: [{ name: 'login' }], containers });
    expect(await ended('remote')).toMatchObject({ exitCode: 0 });
    expect(await logOf('remote')).toBe('pulled\n');
    expect(await eventsOf('remote')).toEqual(
      expect.arrayContaining([
        `Pulling: Pulling image "${name}"`,
        expect.stringMatching(
          /^Pulled: Successfully pulled image .* \(.* including waiting\)\. Image size: \d+ bytes\.$/,
        ),
      ]),
    );
    await create('kept', { containers: [container({ image: name, imagePullPolicy: 'Never' })] });
    expect(await ended('kept')).toMatchObject({ exitCode: 0 });
    await create('denied', { imagePullSecrets: [{ name: 'gone' }], containers });
    await expect
      .poll(() => eventsOf('denied'), wait)
      .toContainEqual(expect.stringMatching(/^Failed: Failed to pull image/));
    expect((await eventsOf('denied')).join('\n')).toContain('Unable to retrieve some image pull secrets (gone)');
  });

  it('leave nothing behind', async () => {
    for (const { metadata } of (await client.resource(Pod).list({ namespace })).items)
      await remove(metadata.name ?? '');
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('kw-'));
    expect(left.length).toBeGreaterThan(0);
    await cluster.stop();
    const mounts = spawnSync('cat', ['/proc/mounts'], { encoding: 'utf8' }).stdout;
    expect(mounts).not.toContain(image.folder);
    const processes = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout;
    expect(processes).not.toMatch(/__kw_pid/);
  });
});
