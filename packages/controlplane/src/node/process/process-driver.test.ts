import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoopbackRange } from '../../network/loopback-range.ts';
import type { ContainerRequest } from '../driver.ts';
import { nobody } from './container-user.ts';
import { ImageMap } from './image-map.ts';
import { builtInImages } from './images/index.ts';
import { KnownUser } from './known-user.ts';
import { MarkedProcesses } from './marked-processes.ts';
import { ProcessDriver } from './process-driver.ts';
import type { ProcessDriverOptions } from './process-driver-options.ts';
import { endedTime, processIdentity } from './process-identity.ts';
import { ProcessJournal } from './process-journal.ts';
import { processTable } from './process-table.ts';
import { SandboxFolders } from './sandbox-folders.ts';
import { findTerminalProgram } from './terminal.ts';

describe('ProcessDriver', () => {
  let state: string;
  let folders: SandboxFolders;
  let addresses: LoopbackRange;
  let settings: ProcessDriverOptions;
  let driver: ProcessDriver;
  let marked: MarkedProcesses;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'kw-journal-'));
    folders = new SandboxFolders(tmpdir(), 'a'.repeat(32));
    addresses = await LoopbackRange.reserve(systemRandom);
    const { env, platform, execPath, version } = process;
    marked = new MarkedProcesses(processTable(platform));
    settings = {
      images: new ImageMap(builtInImages({ env, platform, execPath, version })),
      addresses,
      folders,
      journal: new ProcessJournal(join(state, 'processes.json'), { instance: 'a'.repeat(32), marked }),
      clock: systemClock,
      random: systemRandom,
      agentUid: process.getuid?.(),
      allowRootPods: false,
      marked,
      terminalProgram: findTerminalProgram({ platform, path: process.env['PATH'] ?? '' }),
    };
    driver = new ProcessDriver(settings);
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await addresses[Symbol.asyncDispose]();
    folders.remove();
    rmSync(state, { recursive: true, force: true });
  });

  async function container(image: string, more: Partial<ContainerRequest> = {}, on = driver) {
    const podUid = systemRandom.uid();
    const { podIP } = await on.preparePod({
      uid: podUid,
      namespace: 'default',
      name: 'p',
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: {} },
    });
    let log = '';
    const running = await on.startContainer({
      podUid,
      podIP,
      namespace: 'default',
      podName: 'p',
      containerName: 'c',
      attempt: 0,
      image: await on.pullImage(image),
      command: undefined,
      args: undefined,
      workingDir: undefined,
      env: new Map(),
      mounts: [],
      securityContext: {},
      ports: [],
      stdin: 'none',
      tty: false,
      output: {
        write(_stream, chunk) {
          log += Buffer.from(chunk).toString();
        },
      },
      ...more,
    });
    return { running, podIP, podUid, log: () => log };
  }

  it('runs a command, keeps its output and reports its exit code', async () => {
    const { running, log } = await container('busybox', {
      command: ['sh', '-c', 'echo "$GREETING $HOSTNAME"; exit 3'],
      env: new Map([['GREETING', 'hello']]),
    });
    expect(await running.exited).toMatchObject({ exitCode: 3, reason: 'Error' });
    expect(log()).toContain('hello p\n');
  });

  it('notes in the log that a stand-in runs', async () => {
    const { running, log } = await container('busybox:1.36', { command: ['true'] });
    expect(await running.exited).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(log()).toContain('[kubewright] busybox');
  });

  it('rewrites mount paths in commands, arguments and environment', async () => {
    const hostPath = mkdtempSync(join(tmpdir(), 'kw-volume-'));
    const { running, log } = await container('busybox', {
      command: ['sh', '-c', 'echo "$FILE"; echo /data/x'],
      env: new Map([['FILE', '/data/y']]),
      mounts: [{ mountPath: '/data', hostPath, readOnly: false }],
    });
    await running.exited;
    expect(log()).toContain(`${hostPath}/y\n${hostPath}/x\n`);
    rmSync(hostPath, { recursive: true });
  });

  it('kills the whole group after the grace period, including processes that ignore SIGTERM', async () => {
    const { running, log } = await container('busybox', {
      command: [
        'sh',
        '-c',
        `trap "" TERM; ${process.execPath} -e 'process.on("SIGTERM",()=>{});console.log(process.pid);setInterval(()=>{},1e9)' & wait; wait`,
      ],
    });
    await expect.poll(() => /^\d+$/m.test(log()), { timeout: 30_000 }).toBe(true);
    const grandchild = Number(/^\d+$/m.exec(log())?.[0]);
    expect(await running.stop({ graceMs: 100 })).toMatchObject({ exitCode: 137, signal: 9 });
    await expect.poll(() => existsSync(`/proc/${grandchild}`), { timeout: 30_000 }).toBe(false);
  });

  it('runs an exec command with input and output', async () => {
    const { running } = await container('pause');
    let out = '';
    const session = await running.exec({
      command: ['sh', '-c', 'cat; exit 4'],
      stdin: (async function* () {
        yield Buffer.from('from stdin');
      })(),
      stdout: (chunk) => {
        out += Buffer.from(chunk).toString();
      },
      stderr: () => {},
      signal: new AbortController().signal,
    });
    expect(await session.exited).toEqual({ exitCode: 4 });
    expect(out).toBe('from stdin');
    await running.stop({ graceMs: 1_000 });
  });

  it('ends exec commands with their container', async () => {
    const { running } = await container('pause');
    let out = '';
    const session = await running.exec({
      command: ['sh', '-c', 'echo ready; exec sleep 1000'],
      stdin: undefined,
      stdout: (chunk) => {
        out += Buffer.from(chunk).toString();
      },
      stderr: () => {},
      signal: new AbortController().signal,
    });
    await expect.poll(() => out, { timeout: 30_000 }).toBe('ready\n');
    await running.stop({ graceMs: 1_000 });
    expect(await session.exited).toEqual({ exitCode: 137 });
  });

  it('records exec commands while they run, for cleanup after a crash', async () => {
    const { running } = await container('pause');
    let out = '';
    const noted = () => readFileSync(join(state, 'processes.json'), 'utf8');
    const session = await running.exec({
      command: ['sh', '-c', 'echo $$; read line'],
      stdin: (async function* () {
        await expect.poll(() => out, { timeout: 30_000 }).toMatch(/^\d+\n$/);
        expect(noted()).toContain(`"pid":${out.trim()},`);
        yield Buffer.from('go on\n');
      })(),
      stdout: (chunk) => {
        out += Buffer.from(chunk).toString();
      },
      stderr: () => {},
      signal: new AbortController().signal,
    });
    expect(await session.exited).toEqual({ exitCode: 0 });
    expect(noted()).not.toContain(`"pid":${out.trim()},`);
    await running.stop({ graceMs: 1_000 });
  });

  it('kills background processes of exec commands with the container', async () => {
    const { running } = await container('pause');
    let out = '';
    const session = await running.exec({
      command: ['sh', '-c', 'sleep 1000 >/dev/null 2>&1 & echo $!'],
      stdin: undefined,
      stdout: (chunk) => {
        out += Buffer.from(chunk).toString();
      },
      stderr: () => {},
      signal: new AbortController().signal,
    });
    expect(await session.exited).toEqual({ exitCode: 0 });
    expect(lives(Number(out))).toBe(true);
    await running.stop({ graceMs: 1_000 });
    await expect.poll(() => lives(Number(out)), { timeout: 30_000 }).toBe(false);
  });

  it('runs a container on its own terminal, and sends the stop signal only to the container', async (context) => {
    if (driver.noTerminals) return context.skip('this machine has no program for terminals');
    const line = 'trap "echo bye; exit 5" TERM; tty; echo "$TERM"; while :; do sleep 0.1; done';
    const { running, log } = await container('busybox', { command: ['sh', '-c', line], tty: true });
    await expect.poll(log, { timeout: 30_000 }).toMatch(/\/dev\/pts\/\d+\r\nxterm\r\n$/);
    expect(await running.stop({ graceMs: 30_000 })).toMatchObject({ exitCode: 5, reason: 'Error' });
    expect(log()).toMatch(/bye\r\n$/);
    return undefined;
  });

  it('ends a container on a terminal with everything that it started', async (context) => {
    if (driver.noTerminals) return context.skip('this machine has no program for terminals');
    const line = 'trap "" TERM HUP; sleep 1000 & echo "job $!"; wait; wait; sleep 1000';
    const { running, log } = await container('busybox', { command: ['sh', '-mc', line], tty: true });
    await expect.poll(log, { timeout: 30_000 }).toMatch(/job \d+\r\n/);
    const job = Number(/job (\d+)/.exec(log())?.[1]);
    expect(await running.stop({ graceMs: 100 })).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(lives(job)).toBe(false);
    return undefined;
  });

  it('runs a container without its terminal if the machine has none, and notes why', async () => {
    await using plain = new ProcessDriver({ ...settings, terminalProgram: undefined });
    const { running, log } = await container('busybox', { command: ['tty'], tty: true }, plain);
    expect(await running.exited).toMatchObject({ exitCode: 1 });
    expect(log()).toMatch(/^\[kubewright\] this container has no TTY: .*install it, or omit -t\n/m);
    expect(log()).toMatch(/not a tty\n$/);
  });

  it("kills everything on a client's terminal when the client disconnects, in any process group", async (context) => {
    if (driver.noTerminals) return context.skip('this machine has no program for terminals');
    const { running } = await container('pause');
    const client = new AbortController();
    let out = '';
    const session = await running.exec({
      // A shell on a terminal puts each job into its own process group.
      command: ['sh', '-mc', '(trap "" HUP; sleep 1000) & echo "job $! on $(tty)"; wait'],
      stdin: (async function* () {
        await new Promise((resolve) => client.signal.addEventListener('abort', resolve));
      })(),
      sizes: (async function* () {})(),
      stdout: (chunk) => {
        out += Buffer.from(chunk).toString();
      },
      stderr: () => {},
      signal: client.signal,
    });
    await expect.poll(() => out, { timeout: 30_000 }).toMatch(/job \d+ on \/dev\/pts\/\d+\r\n/);
    const job = Number(/job (\d+)/.exec(out)?.[1]);
    client.abort();
    await session.exited;
    await expect.poll(() => lives(job), { timeout: 30_000 }).toBe(false);
    await running.stop({ graceMs: 1_000 });
    return undefined;
  });

  const pidIn = async (log: () => string): Promise<number> => {
    await expect.poll(log, { timeout: 30_000 }).toMatch(/^\d+$/m);
    return Number(/^\d+$/m.exec(log())?.[0]);
  };

  it('detects the end of a main process whose child has left for another session and holds the output', async () => {
    const { running, log } = await container('busybox', {
      command: ['sh', '-c', `setsid sh -c 'echo $$; exec sleep 777' & read line; echo last; exit 5`],
      stdin: 'once',
    });
    const daemon = await pidIn(log);
    const leave = new AbortController();
    const input = (async function* () {
      yield Buffer.from('go\n');
    })();
    const attached = running.attach({ stdin: input, stdout() {}, stderr() {}, signal: leave.signal });
    expect(await running.exited).toMatchObject({ exitCode: 5, reason: 'Error' });
    await attached;
    expect(log()).toContain('last\n');
    expect(lives(daemon)).toBe(false);
  });

  it('replays early output to the first attached client of a container with stdinOnce', async () => {
    const command = ['sh', '-c', 'echo early; echo wrong >&2; read go; echo late'];
    const { running, log } = await container('busybox', { command, stdin: 'once' });
    await expect.poll(log, { timeout: 30_000 }).toContain('wrong\n');
    const [first, second]: [string[], string[]] = [[], []];
    const attach = (heard: string[], words: string): Promise<void> => {
      const note = (chunk: Uint8Array): void => void heard.push(Buffer.from(chunk).toString());
      const stdin = (async function* () {
        yield Buffer.from(words);
      })();
      return running.attach({ stdin, stdout: note, stderr: note, signal: new AbortController().signal });
    };
    await attach(first, 'go\n');
    await attach(second, '');
    expect([first.sort().join(''), second]).toEqual(['early\nlate\nwrong\n', []]);
  });

  it('slows an exec command down to the speed of its reader', async () => {
    const { running } = await container('pause');
    const size = 20_000_000;
    let received = 0;
    let isOpen = false;
    let open: () => void = () => {};
    const room = new Promise<void>((resolve) => {
      open = () => {
        isOpen = true;
        resolve();
      };
    });
    let errors = '';
    const session = await running.exec({
      command: ['sh', '-c', `yes | head -c ${size}; echo poured >&2`],
      stdin: undefined,
      stdout: (chunk) => {
        received += chunk.length;
        return isOpen ? undefined : room;
      },
      stderr: (chunk) => {
        errors += Buffer.from(chunk).toString();
      },
      signal: new AbortController().signal,
    });
    await expect.poll(() => received, { timeout: 30_000 }).toBeGreaterThan(0);
    const afterFirst = received;
    // While another command runs, the first command has enough time to write.
    const other = { command: ['sleep', '0.2'], stdin: undefined, stdout() {}, stderr() {} };
    await (await running.exec({ ...other, signal: new AbortController().signal })).exited;
    expect([received, errors]).toEqual([afterFirst, '']);
    open();
    expect(await session.exited).toEqual({ exitCode: 0 });
    expect([received, errors]).toEqual([size, 'poured\n']);
  });

  it('stops with the signal that the pod specifies', async () => {
    const command = ['sh', '-c', 'trap "echo asked; exit 7" USR1; echo ready; while :; do sleep 0.05; done'];
    const { running, log } = await container('busybox', { command, stopSignal: 'SIGUSR1' });
    await expect.poll(log, { timeout: 30_000 }).toContain('ready\n');
    expect(await running.stop({ graceMs: 10_000 })).toMatchObject({ exitCode: 7 });
    expect(log()).toContain('asked\n');
  });

  it('kills processes in other sessions when the container is stopped', async () => {
    const { running, log } = await container('busybox', {
      command: ['sh', '-c', `setsid sh -c 'trap "" TERM; echo $$; exec sleep 777' & wait`],
    });
    const daemon = await pidIn(log);
    expect(await running.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 143 });
    expect(lives(daemon)).toBe(false);
  });

  it('kills processes in other sessions with a cleared environment while their parent exists', async () => {
    const { running, log } = await container('busybox', {
      command: ['sh', '-c', `trap "" TERM; setsid env -i sh -c 'echo $$; exec sleep 777' & wait; wait`],
    });
    const daemon = await pidIn(log);
    await running.stop({ graceMs: 0 });
    expect(lives(daemon)).toBe(false);
  });

  it('kills processes of an earlier run at the next start, in any session', async () => {
    const { log, running } = await container('busybox', {
      command: ['sh', '-c', `setsid sh -c 'echo $$; exec sleep 777' & echo main; wait`],
    });
    const daemon = await pidIn(log);
    const left = new ProcessJournal(join(state, 'left.json'), { instance: 'a'.repeat(32), marked });
    left.add(processIdentity(process.pid)); // triggers a write; this process itself is never killed
    left.remove(process.pid);
    const next = new ProcessJournal(join(state, 'left.json'), { instance: 'b'.repeat(32), marked });
    expect(next.sweep()).toBeGreaterThanOrEqual(2);
    await expect.poll(() => lives(daemon), { timeout: 30_000 }).toBe(false);
    expect(await running.exited).toMatchObject({ exitCode: 137 });
    expect(next.sweep()).toBe(0);
  });

  it('reports a missing command like a container runtime', async () => {
    const { running } = await container('pause');
    const run = async (command: readonly string[]) => {
      let text = '';
      const take = (chunk: Uint8Array): void => {
        text += Buffer.from(chunk).toString();
      };
      const { signal } = new AbortController();
      const session = await running.exec({ command, stdin: undefined, stdout: take, stderr: take, signal });
      return { ...(await session.exited), text };
    };
    const failed = 'exec failed: unable to start container process: exec:';
    expect(await run(['nosuchprog'])).toEqual({
      exitCode: 127,
      text: `${failed} "nosuchprog": executable file not found in $PATH\n`,
    });
    expect(await run(['/no/such'])).toEqual({
      exitCode: 127,
      text: `${failed} "/no/such": stat /no/such: no such file or directory\n`,
    });
    expect(await run(['/etc/passwd'])).toEqual({
      exitCode: 126,
      text: `${failed} "/etc/passwd": permission denied\n`,
    });
    // The agent's own PATH is not used: it contains folders that containers cannot enter.
    expect((await run(['sh', '-c', 'echo $PATH'])).text).toMatch(/^[^:]*:?\/usr\/local\/sbin:.*:\/bin\n$/);
    await running.stop({ graceMs: 1_000 });
    await expect(container('busybox', { command: ['nosuchprog'] })).rejects.toThrow(
      'unable to start container process: exec: "nosuchprog": executable file not found in $PATH',
    );
  });

  it('finishes a command even if its child holds the output open', async () => {
    const { running } = await container('pause');
    let out = '';
    const take = (chunk: Uint8Array): void => {
      out += Buffer.from(chunk).toString();
    };
    const { signal } = new AbortController();
    const command = ['sh', '-c', 'setsid sleep 777 & echo $!; exit 6'];
    const session = await running.exec({ command, stdin: undefined, stdout: take, stderr: take, signal });
    expect(await session.exited).toEqual({ exitCode: 6 });
    const daemon = Number(out);
    expect(lives(daemon)).toBe(true);
    await running.stop({ graceMs: 1_000 });
    expect(lives(daemon)).toBe(false);
  });

  it("serves nginx on the pod's address", async () => {
    const { running, podIP, log } = await container('nginx:1.27');
    await expect.poll(log, { timeout: 30_000 }).toMatch(/listening on .*:(\d+)\n/);
    const port = /listening on .*:(\d+)\n/.exec(log())?.[1];
    const page = () => fetch(`http://${podIP}:${port}/`).then((response) => response.text());
    await expect.poll(() => page().catch(String), { timeout: 30_000 }).toContain('Welcome to nginx!');
    await expect.poll(log, { timeout: 30_000 }).toMatch(/"GET \/.*" 200/);
    expect(await running.stop({ graceMs: 2_000 })).toMatchObject({ exitCode: 0 });
  });

  it("serves redis on the pod's address", async () => {
    const { running, podIP, log } = await container('redis:7');
    await expect.poll(log, { timeout: 30_000 }).toContain('Ready to accept connections');
    const socket = connect(6379, podIP, () => socket.write('PING\r\n'));
    const answer = await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
    socket.destroy();
    expect(String(answer)).toBe('+PONG\r\n');
    expect(await running.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 0 });
  });

  it('explains how to map an unknown image', async () => {
    await expect(driver.pullImage('registry.example.com/team/app:1')).rejects.toThrow(
      /no program is mapped to this image \(mapped images: .*postgres.*\); add an ImageSource/,
    );
    await expect(driver.pullImage('Not An Image')).rejects.toThrow(/couldn't parse image name/);
  });

  it('rejects uid 0', async () => {
    if (process.getuid?.() !== 0) return; // only root could start it
    await expect(container('busybox', { securityContext: { runAsUser: 0 } })).rejects.toThrow(/--allow-root-pods/);
    await expect(container('busybox', { securityContext: { runAsGroup: 0 } })).rejects.toThrow(/--allow-root-pods/);
  });

  it('runs as a uid that is not in the user database', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('needs root: only root can switch users');
    const securityContext = { runAsUser: 54_321, runAsGroup: 54_322, groups: [54_323] };
    const { running, log } = await container('busybox', { command: ['sh', '-c', 'id -u; id -G'], securityContext });
    expect(await running.exited).toMatchObject({ exitCode: 0 });
    expect(log()).toContain('54321\n54322 54323\n');
    return undefined;
  });

  it('gives each pod its own user, except for a PostgreSQL pod whose initdb would reject it', async (context) => {
    if (process.getuid?.() !== 0) return context.skip('needs root: only root can switch users');
    const { env, platform, execPath, version } = process;
    const own = new ProcessDriver({
      images: new ImageMap(builtInImages({ env, platform, execPath, version })),
      addresses,
      folders,
      journal: new ProcessJournal(join(state, 'own.json'), { instance: 'b'.repeat(32), marked }),
      clock: systemClock,
      random: systemRandom,
      agentUid: 0,
      allowRootPods: false,
      podUids: { first: 54_321, count: 2 },
      knownUser: new KnownUser(nobody(), () => false),
      marked,
    });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {} };
    for (const uid of ['one', 'two']) await own.preparePod({ uid, namespace: 'default', name: uid, pod });
    const userOf = (podUid: string, image: string) => own.userOf({ podUid, image, securityContext: {} });
    expect(await userOf('one', 'busybox')).toEqual({ uid: 54_321, gid: 54_321 });
    expect(await userOf('two', 'no/such')).toEqual({ uid: 54_322, gid: 54_322 });
    expect(await userOf('one', 'postgres:17')).toEqual(nobody());
    for (const uid of ['one', 'two']) await own.removePod(uid);
    expect(await userOf('one', 'busybox')).toEqual(nobody());
    return undefined;
  });

  it("runs a real PostgreSQL with the documented environment, on the pod's address", async () => {
    const env = new Map([
      ['POSTGRES_USER', 'owner'],
      ['POSTGRES_PASSWORD', "it's a secret"],
    ]);
    const { running, podIP, log } = await container('postgres:17', { env });
    await expect.poll(log, { timeout: 30_000 }).toContain('database system is ready to accept connections');
    const psql = (password: string) =>
      spawnSync('psql', ['-h', podIP, '-U', 'owner', '-Atc', 'select current_user || current_database()'], {
        encoding: 'utf8',
        env: { ...process.env, PGPASSWORD: password },
      });
    let answer = '';
    const session = await running.exec({
      command: ['psql', '-U', 'owner', '-Atc', 'select 1 + 1'],
      stdin: undefined,
      stdout: (chunk) => {
        answer += Buffer.from(chunk).toString();
      },
      stderr: (chunk) => {
        answer += Buffer.from(chunk).toString();
      },
      signal: new AbortController().signal,
    });
    if (spawnSync('psql', ['--version']).status === 0) {
      expect(await session.exited).toEqual({ exitCode: 0 });
      expect(answer).toBe('2\n');
    }
    const socket = connect(5432, podIP);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.destroy();
    if (spawnSync('psql', ['--version']).status === 0) {
      expect(psql("it's a secret").stdout).toBe('ownerowner\n');
      expect(psql('wrong').stderr).toMatch(/password authentication failed/);
    }
    const version = /running PostgreSQL (\d+)(\.\d+)* instead of 17\n/.exec(log())?.[0];
    if (!log().includes('starting PostgreSQL 17')) expect(log()).toContain(`[kubewright] postgres: ${version}`);
    expect(await running.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});

/** True if a process is running. A zombie counts as ended: in a container without an init process, nothing reaps it. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return processIdentity(pid).started !== endedTime;
  } catch {
    // The process does not exist.
    return false;
  }
}
