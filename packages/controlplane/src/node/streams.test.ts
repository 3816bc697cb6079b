import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmbeddedCluster } from '../cluster/embedded-cluster.ts';
import { findTerminalProgram } from './process/terminal.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const terminalProgram = findTerminalProgram({ platform: process.platform, path: process.env['PATH'] ?? '' });
const namespace = 'default';

/** A server that echoes its input and reports the total length when the client has finished. */
const echo = `
  const server = require('node:net').createServer({ allowHalfOpen: true }, (socket) => {
    let heard = 0;
    socket.on('data', (chunk) => { heard += chunk.length; socket.write(chunk); });
    socket.on('end', () => socket.end('heard ' + heard));
    socket.on('error', () => {});
  });
  server.listen(7000, process.env.IP, () => console.log('listening'));`;

describe.skipIf(!hasKubectl)('streams of pods through kubectl', () => {
  let directory: string;
  let cluster: EmbeddedCluster;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'kw-streams-'));
    const parts = { clock: systemClock, random: systemRandom, log: silentLogger };
    cluster = await EmbeddedCluster.start({ directory, ...parts, node: {} });
    await create('echo', {
      containers: [
        {
          name: 'c',
          image: 'node',
          command: ['node', '-e', echo],
          env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
        },
      ],
    });
    await vi.waitFor(async () => expect((await kubectl('logs', 'echo')).out).toContain('listening'), {
      timeout: 30_000,
    });
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await cluster[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  async function create(name: string, spec: NonNullable<Pod['spec']>): Promise<void> {
    const pods = cluster.client().resource(Pod);
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec };
    // The pods' service account is created soon after its namespace.
    await vi.waitFor(() => pods.create(pod), { timeout: 30_000 });
  }

  async function kubectl(...args: readonly string[]): Promise<{ out: string; err: string; code: number }> {
    try {
      const run = promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
      const { stdout, stderr } = await run;
      return { out: stdout, err: stderr, code: 0 };
    } catch (error) {
      // These are fields of execFile's error.
      const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
      return { out: stdout, err: stderr, code };
    }
  }

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args], { env: { ...process.env, ...env } });
    children.push(child);
    const seen = { out: '', err: '' };
    child.stdout.on('data', (chunk) => {
      seen.out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      seen.err += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return { child, seen, ended };
  }

  /** Runs kubectl on a terminal of 29 lines and 91 columns. Without a local terminal, kubectl would not request one. */
  function atTerminal(line: string, env: Readonly<Record<string, string>> = {}) {
    const whole = `stty cols 91 rows 29; echo "this is $(tty)"; exec kubectl --kubeconfig ${cluster.kubeconfig} ${line}`;
    const child = spawn(terminalProgram ?? '', ['-q', '-e', '-f', '-E', 'always', '-c', whole, '/dev/null'], {
      env: { ...process.env, ...env, SHELL: '/bin/sh' },
    });
    children.push(child);
    const seen = { out: '' };
    child.stdout.on('data', (chunk) => {
      seen.out += chunk;
    });
    return {
      seen,
      ended: new Promise<number | null>((resolve) => child.once('close', resolve)),
      type: (text: string) => child.stdin.write(text),
      shows: (text: string) => expect.poll(() => seen.out, { timeout: 30_000 }).toContain(text),
      // Change only one dimension: stty sets rows and columns one after the other, and kubectl may drop the second of
      // two quick changes.
      resize: (rows: number) => {
        const [, path = ''] = /this is (\S+)/.exec(seen.out) ?? [];
        spawnSync('stty', ['-F', path, 'rows', String(rows)]);
      },
    };
  }

  const untilSize = (rows: number, columns: number): string =>
    `until [ "$(stty size)" = "${rows} ${columns}" ]; do sleep 0.1; done`;

  /** Forwards a free port and returns its number. */
  async function forward(target: string, port: number, env?: Readonly<Record<string, string>>) {
    const running = start(['port-forward', target, `:${port}`], env);
    await expect.poll(() => running.seen.out, { timeout: 30_000 }).toMatch(/Forwarding from 127\.0\.0\.1:(\d+)/);
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(running.seen.out)?.[1]);
    return { ...running, local };
  }

  /** Sends text, closes its side and returns the whole response. */
  function ask(port: number, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('error', reject).on('end', () => resolve(answer));
    });
  }

  it.each([
    ['SPDY in a WebSocket', {}],
    ['SPDY', { KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' }],
  ])('forwards ports over %s: many connections, much data, half-closed', async (_name, env) => {
    const { child, local, ended } = await forward('pod/echo', 7000, env);
    expect(await ask(local, 'hello')).toBe('helloheard 5');
    const large = 'x'.repeat(3_000_000);
    expect(await ask(local, large)).toBe(`${large}heard ${large.length}`);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(local, `n${index}`)));
    expect(answers).toEqual(answers.map((_, index) => `n${index}heard ${`n${index}`.length}`));
    child.kill('SIGINT');
    await ended;
  });

  it('shows the control plane components as pods, without exec or attach', async () => {
    const parts = ['kube-apiserver-kubewright', 'kube-controller-manager-kubewright', 'kube-scheduler-kubewright'];
    const shown = async () => (await kubectl('-n', 'kube-system', 'get', 'pods', '-o', 'name')).out.trim().split('\n');
    await expect.poll(shown, { timeout: 30_000 }).toEqual(parts.map((name) => `pod/${name}`));
    const [pod = ''] = parts;
    const says = `pod ${pod} runs inside the cluster process and has no containers`;
    for (const args of [
      ['exec', pod, '--', 'id'],
      ['attach', pod],
    ])
      expect((await kubectl('-n', 'kube-system', ...args)).err).toContain(says);
  });

  it("reports a refused connection with a kubelet's message", async () => {
    const { local, seen } = await forward('pod/echo', 7999);
    await ask(local, 'hello').catch(String);
    await expect
      .poll(() => seen.err, { timeout: 30_000 })
      .toMatch(
        /error forwarding port 7999 to pod echo, uid [0-9a-f-]{36}: dial tcp 127\.\d+\.\d+\.\d+:7999: connect: connection refused/,
      );
    expect((await kubectl('port-forward', 'pod/none', ':1')).err).toContain('pods "none" not found');
  });

  it.each([
    ['a WebSocket', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
  ])('ends attached clients over %s when their container ends', async (_name, env) => {
    const name = `ends-${Object.keys(env).length}`;
    const image = 'busybox';
    const command = ['sh', '-c', 'echo ready; while [ ! -e over ]; do echo waits; sleep 0.1; done; echo over'];
    const endless = ['sh', '-c', 'while true; do echo waits; sleep 0.1; done'];
    await create(name, { restartPolicy: 'Never', containers: [{ name: 'c', image, command, stdin: true }] });
    await create(`${name}-deleted`, {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'c', image, command: endless }],
    });
    // One client has no input, one has endless input, and one is attached to a deleted pod.
    const attached = [
      ['attach', name],
      ['attach', '-i', name],
      ['attach', `${name}-deleted`],
    ].map((args) => async () => {
      await vi.waitFor(async () => expect((await kubectl('logs', args.at(-1)!)).out).toContain('waits'), {
        timeout: 30_000,
      });
      return start(args, env);
    });
    const running = await Promise.all(attached.map((begin) => begin()));
    for (const { seen } of running) await expect.poll(() => seen.out, { timeout: 30_000 }).toContain('waits');
    expect(await kubectl('exec', name, '--', 'touch', 'over')).toMatchObject({ code: 0 });
    await kubectl('delete', 'pod', `${name}-deleted`, '--wait=false');
    expect(await Promise.all(running.map(({ ended }) => ended))).toEqual([0, 0, 0]);
    for (const { seen } of running.slice(0, 2)) expect(seen.out).toMatch(/over\n$/);
  });

  it.each([
    ['a WebSocket', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
  ])('runs commands and attaches over %s', async (_name, env) => {
    const run = start(['exec', '-i', 'echo', '--', 'sh', '-c', 'cat; echo err >&2; exit 7'], env);
    run.child.stdin.end('in'.repeat(100_000));
    expect(await run.ended).toBe(7);
    expect(run.seen.out).toBe('in'.repeat(100_000));
    expect(run.seen.err).toMatch(/^err\ncommand terminated with exit code 7\n$/);
    const name = `cat-${Object.keys(env).length}`;
    const command = ['sh', '-c', 'echo ready; while read line; do echo "got $line"; done; echo over'];
    await create(name, {
      restartPolicy: 'Never',
      containers: [{ name: 'c', image: 'busybox', command, stdin: true, stdinOnce: true }],
    });
    await expect.poll(() => kubectl('logs', name).then(({ out }) => out), { timeout: 30_000 }).toContain('ready');
    const attached = start(['attach', '-i', name], env);
    attached.child.stdin.write('one\n');
    await expect.poll(() => attached.seen.out, { timeout: 30_000 }).toBe('ready\ngot one\n');
    attached.child.stdin.end('two\n');
    expect(await attached.ended, attached.seen.err).toBe(0);
    expect(attached.seen.out).toBe('ready\ngot one\ngot two\nover\n');
    expect((await kubectl('attach', name)).err).toMatch(
      /cannot attach a container in a completed pod|container not found/,
    );
  });

  it('runs a pod for one command with its input', async () => {
    const run = start(['run', 'once', '-i', '--rm', '--restart=Never', '--image=busybox', '--', 'cat']);
    run.child.stdin.end('through a pod\n');
    expect(await run.ended, run.seen.err).toBe(0);
    expect(run.seen.out).toContain('through a pod\n');
    await expect
      .poll(() => kubectl('get', 'pod', 'once').then(({ err }) => err), { timeout: 30_000 })
      .toContain('not found');
  });

  it.skipIf(terminalProgram === undefined).each([
    ['a WebSocket', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
  ])('gives a command a terminal with the size of the local one, over %s', async (_name, env) => {
    const line = `${untilSize(29, 91)}; echo sized; read word; trap "exit 9" INT; echo "read $word"; sleep 1000 & wait`;
    const terminal = atTerminal(`exec -it echo -- sh -c '${line}'`, env);
    await terminal.shows('sized');
    terminal.type('something\r');
    await terminal.shows('read something');
    terminal.type('\u0003');
    expect(await terminal.ended, terminal.seen.out).toBe(9);
  });

  it.skipIf(terminalProgram === undefined).each([
    ['a WebSocket', {}],
    ['SPDY', { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' }],
  ])('attaches to the terminal of a container over %s, and resizes it', async (_name, env) => {
    const name = `terminal-${Object.keys(env).length}`;
    const line = `tty; ${untilSize(29, 91)}; echo sized; read word; echo "read $word"; ${untilSize(40, 91)}; echo resized; trap "exit 9" INT; sleep 1000 & wait`;
    const container = { name: 'c', image: 'busybox', command: ['sh', '-c', line], stdin: true, tty: true };
    await create(name, { restartPolicy: 'Never', containers: [container] });
    await expect
      .poll(() => kubectl('logs', name).then(({ out }) => out), { timeout: 30_000 })
      .toMatch(/^\/dev\/pts\/\d+\r$/m);
    const terminal = atTerminal(`attach -it ${name}`, env);
    await terminal.shows('sized');
    terminal.type('something\r');
    await terminal.shows('read something');
    terminal.resize(40);
    await terminal.shows('resized');
    terminal.type('\u0003');
    expect(await terminal.ended, terminal.seen.out).toBe(0);
    const path = 'jsonpath={.status.containerStatuses[0].state.terminated.exitCode}';
    await expect.poll(async () => (await kubectl('get', 'pod', name, '-o', path)).out, { timeout: 30_000 }).toBe('9');
  });

  it.skipIf(terminalProgram === undefined)('runs a pod and a debug container at a terminal', async () => {
    const run = atTerminal('run shell -it --rm --restart=Never --image=busybox -- sh');
    run.type('echo "sum $((6 * 7))"\r');
    await run.shows('sum 42');
    run.type('exit 3\r');
    expect(await run.ended, run.seen.out).toBe(3);
    const debug = atTerminal('debug -it echo --image=busybox -c look -- sh');
    debug.type('echo "sum $((7 * 8)) on $(tty)"\r');
    await debug.shows('sum 56 on /dev/pts/');
    debug.type('exit\r');
    expect(await debug.ended, debug.seen.out).toBe(0);
  });

  it('attaches without a terminal to a container that has none', async () => {
    const path = '/api/v1/namespaces/default/pods/echo/attach?stdin=true&tty=true';
    expect((await kubectl('get', '--raw', path)).err).toContain('Upgrade request required');
  });
});
