import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from '../cluster/embedded-cluster.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!hasKubectl)('a node used through kubectl', () => {
  let directory: string;
  let cluster: EmbeddedCluster;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kw-kubectl-'));
    cluster = await EmbeddedCluster.start({
      directory,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      node: { allowHostPath: true },
    });
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Runs kubectl asynchronously: the server is in this process and must not be blocked. */
  async function kubectl(...args: string[]): Promise<{ out: string; err: string; code: number }> {
    try {
      const { stdout, stderr } = await promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
      return { out: stdout, err: stderr, code: 0 };
    } catch (error) {
      // These are fields of execFile's error.
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      return { out: stdout, err: stderr, code };
    }
  }

  async function apply(object: object): Promise<void> {
    const child = spawn('kubectl', ['--kubeconfig', cluster.kubeconfig, 'apply', '-f', '-']);
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.stdin.end(JSON.stringify(object));
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new Error(err);
  }

  const pod = (name: string, command: string[], more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      terminationGracePeriodSeconds: 2,
      containers: [{ name: 'c', image: 'busybox:1.36', command, ...more }],
    },
  });
  const running = (name: string) => kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=15s');

  it('shows the usage of pods and nodes', async () => {
    await apply(pod('user', ['sleep', '600']));
    const top = async (...args: string[]) => (await kubectl('top', ...args, '--no-headers')).out;
    await expect.poll(() => top('pod', 'user'), { timeout: 30_000 }).toMatch(/^user +\d+m +[1-9]\d*Mi *\n$/);
    // The node also runs the control plane.
    expect(await top('node')).toMatch(/^kubewright +\d+m +\d+% +[1-9]\d+Mi +\d+% *\n$/);
  });

  it('reads and follows logs, including those of the previous attempt', async () => {
    await apply(pod('talker', ['sh', '-c', 'echo one; echo two >&2; sleep 1; echo three; exit 3']));
    await expect.poll(async () => (await kubectl('logs', 'talker')).out, { timeout: 30_000 }).toContain('two\n');
    expect((await kubectl('logs', '-f', 'talker')).out).toMatch(/one\ntwo\nthree\n$/);
    await expect
      .poll(async () => (await kubectl('logs', '--previous', '--tail=1', 'talker')).out, { timeout: 30_000 })
      .toBe('three\n');
    expect((await kubectl('logs', 'talker', '-c', 'nobody')).err).toContain(
      'container nobody is not valid for pod talker',
    );
    const stamped = await kubectl('logs', '--previous', '--timestamps', '--tail=1', 'talker');
    expect(stamped.out).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three\n$/);
  });

  it('runs commands with exit codes, input and errors', async () => {
    await apply(pod('sleeper', ['sleep', '1000']));
    await running('sleeper');
    expect(await kubectl('exec', 'sleeper', '--', 'sh', '-c', 'echo out; echo err >&2')).toMatchObject({
      out: 'out\n',
      code: 0,
    });
    const failed = await kubectl('exec', 'sleeper', '--', 'sh', '-c', 'exit 7');
    expect(failed).toMatchObject({ code: 7 });
    expect(failed.err).toContain('command terminated with exit code 7');
    const child = spawn('kubectl', ['--kubeconfig', cluster.kubeconfig, 'exec', '-i', 'sleeper', '--', 'cat']);
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stdin.end('x'.repeat(200_000));
    await new Promise((resolve) => child.once('close', resolve));
    expect(out.length).toBe(200_000);
    expect((await kubectl('exec', 'nobody', '--', 'true')).err).toContain('pods "nobody" not found');
    const unknown = await kubectl('exec', 'sleeper', '--', 'nosuchprog');
    expect(unknown.code).toBe(127);
    expect(unknown.err).toContain('exec: "nosuchprog": executable file not found in $PATH\n');
  });

  it('debugs the node in a pod that has the file system of this machine', async () => {
    const [first = ''] = readFileSync('/etc/passwd', 'utf8').split('\n');
    const look = ['head', '-n', '1', '/host/etc/passwd'];
    const { out, err } = await kubectl('debug', 'node/kubewright', '--image=busybox', '--', ...look);
    const [, name = ''] = /(node-debugger-kubewright-\w+)/.exec(out + err) ?? [];
    await expect.poll(async () => (await kubectl('logs', name)).out, { timeout: 30_000 }).toContain(`${first}\n`);
  });

  it('runs an ephemeral debug container', async () => {
    await apply(pod('looked-at', ['sleep', '1000']));
    await running('looked-at');
    const look = ['sh', '-c', 'echo here; exec sleep 1000'];
    const added = await kubectl('debug', 'looked-at', '--image=busybox', '-c', 'look', '--', ...look);
    expect(added).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await kubectl('logs', 'looked-at', '-c', 'look')).out, { timeout: 30_000 })
      .toMatch(/\nhere\n$/);
    expect(await kubectl('exec', 'looked-at', '-c', 'look', '--', 'echo', 'inside')).toMatchObject({ out: 'inside\n' });
    const path = 'jsonpath={.status.ephemeralContainerStatuses[0].name}';
    await expect.poll(async () => (await kubectl('get', 'pod', 'looked-at', '-o', path)).out).toBe('look');
  });

  it('copies files and folders in both directions, text and binary', async () => {
    const spec = pod('copied', ['sleep', '1000'], {
      volumeMounts: [
        { name: 'data', mountPath: '/var/lib/data' },
        { name: 'conf', mountPath: '/etc/conf/app.txt', subPath: 'app.txt' },
      ],
    });
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'conf', configMap: { name: 'conf' } },
    ];
    await apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'conf', namespace: 'default' },
      data: { 'app.txt': 'from a map' },
    });
    await apply({ ...spec, spec: { ...spec.spec, volumes } });
    await running('copied');
    const here = (name: string) => join(directory, name);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 256));
    mkdirSync(here('out/deep'), { recursive: true });
    writeFileSync(here('out/deep/text'), 'line\n');
    writeFileSync(here('out/bytes'), bytes);
    const copy = async (...names: [string, string]): Promise<void> => {
      const { err, code } = await kubectl('cp', ...names);
      expect({ err, code }).toEqual({ err: '', code: 0 });
    };
    await copy(here('out'), 'copied:/var/lib/data/in');
    await copy(here('out/bytes'), 'copied:/var/lib/data/renamed');
    expect((await kubectl('exec', 'copied', '--', 'cat', '/var/lib/data/in/deep/text')).out).toBe('line\n');
    await copy('copied:/var/lib/data/renamed', here('back'));
    expect(readFileSync(here('back')).equals(bytes)).toBe(true);
    await copy('copied:/var/lib/data', here('all'));
    expect(readFileSync(here('all/in/bytes')).equals(bytes)).toBe(true);
    expect(readFileSync(here('all/in/deep/text'), 'utf8')).toBe('line\n');
    await copy('copied:/etc/conf/app.txt', here('app.txt'));
    expect(readFileSync(here('app.txt'), 'utf8')).toBe('from a map');
  }, 60_000);

  it('authenticates as the service account with the kubeconfig in the container', async () => {
    const out = () => kubectl('logs', 'self');
    await apply(
      pod('self', ['sh', '-c', 'kubectl auth whoami -o jsonpath={.status.userInfo.username}; echo; sleep 100']),
    );
    await expect
      .poll(async () => (await out()).out, { timeout: 30_000 })
      .toContain('system:serviceaccount:default:default');
  });

  it("describes a pod's events", async () => {
    await apply(pod('described', ['sleep', '1000']));
    await running('described');
    await expect
      .poll(async () => (await kubectl('describe', 'pod', 'described')).out, { timeout: 30_000 })
      .toMatch(/Scheduled[\s\S]*Pull[\s\S]*Created[\s\S]*Started/);
    const waiting = await kubectl('delete', 'pod', 'described', '--timeout=15s');
    expect(waiting.out).toContain('deleted');
    expect((await kubectl('get', 'pod', 'described')).err).toContain('not found');
  });

  it('evicts a pod', async () => {
    await apply(pod('evicted', ['sleep', '1000']));
    await running('evicted');
    const path = '/api/v1/namespaces/default/pods/evicted/eviction';
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted', namespace: 'default' } };
    const child = spawn('kubectl', ['--kubeconfig', cluster.kubeconfig, 'create', '--raw', path, '-f', '-']);
    child.stdin.end(JSON.stringify(body));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    await expect.poll(async () => (await kubectl('get', 'pod', 'evicted')).code, { timeout: 30_000 }).toBe(1);
  });
});
