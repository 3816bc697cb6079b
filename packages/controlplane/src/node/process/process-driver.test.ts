import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerRequest } from '../driver.ts';
import { ImageMap } from './image-map.ts';
import { builtInImages } from './images/index.ts';
import { LoopbackRange } from './loopback-range.ts';
import { ProcessDriver } from './process-driver.ts';
import { ProcessJournal } from './process-journal.ts';
import { SandboxFolders } from './sandbox-folders.ts';
import { findTerminalProgram } from './terminal.ts';

describe('ProcessDriver', () => {
  let state: string;
  let folders: SandboxFolders;
  let addresses: LoopbackRange;
  let driver: ProcessDriver;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'kw-journal-'));
    folders = new SandboxFolders(tmpdir());
    addresses = await LoopbackRange.reserve(systemRandom);
    const { env, platform, execPath, version } = process;
    driver = new ProcessDriver({
      images: new ImageMap(builtInImages({ env, platform, execPath, version })),
      addresses,
      folders,
      journal: new ProcessJournal(join(state, 'processes.json')),
      clock: systemClock,
      random: systemRandom,
      agentUid: process.getuid?.(),
      allowRootPods: false,
      systemPath: process.env['PATH'] ?? '',
      terminalProgram: findTerminalProgram({ platform, path: process.env['PATH'] ?? '' }),
    });
  });
  afterAll(async () => {
    await driver[Symbol.asyncDispose]();
    await addresses[Symbol.asyncDispose]();
    folders.remove();
    rmSync(state, { recursive: true, force: true });
  });

  async function container(image: string, more: Partial<ContainerRequest> = {}) {
    const podUid = systemRandom.uid();
    const { podIP } = await driver.preparePod({
      uid: podUid,
      namespace: 'default',
      name: 'p',
      pod: { apiVersion: 'v1', kind: 'Pod', metadata: {} },
    });
    let log = '';
    const running = await driver.startContainer({
      podUid,
      podIP,
      namespace: 'default',
      podName: 'p',
      containerName: 'c',
      attempt: 0,
      image: await driver.pullImage(image),
      command: undefined,
      args: undefined,
      workingDir: undefined,
      env: new Map(),
      mounts: [],
      securityContext: {},
      ports: [],
      stdin: 'none',
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

  it('says in the log that a stand-in runs', async () => {
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

  it('ends the whole group, the stubborn too, within its grace', async () => {
    const { running, log } = await container('busybox', {
      command: [
        'sh',
        '-c',
        `trap "" TERM; ${process.execPath} -e 'process.on("SIGTERM",()=>{});console.log(process.pid);setInterval(()=>{},1e9)' & wait; wait`,
      ],
    });
    await expect.poll(() => /^\d+$/m.test(log()), { timeout: 10_000 }).toBe(true);
    const grandchild = Number(/^\d+$/m.exec(log())?.[0]);
    expect(await running.stop({ graceMs: 100 })).toMatchObject({ exitCode: 137, signal: 9 });
    await expect.poll(() => existsSync(`/proc/${grandchild}`), { timeout: 5_000 }).toBe(false);
  });

  it('runs another command beside the container, with input and output', async () => {
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

  it('ends commands beside a container with it', async () => {
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
    await expect.poll(() => out, { timeout: 10_000 }).toBe('ready\n');
    await running.stop({ graceMs: 1_000 });
    expect(await session.exited).toEqual({ exitCode: 137 });
  });

  it('notes commands beside a container while they run, for the next start after a crash', async () => {
    const { running } = await container('pause');
    let out = '';
    const noted = () => readFileSync(join(state, 'processes.json'), 'utf8');
    const session = await running.exec({
      command: ['sh', '-c', 'echo $$; read line'],
      stdin: (async function* () {
        await expect.poll(() => out, { timeout: 10_000 }).toMatch(/^\d+\n$/);
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

  it('ends with a container what a command left in the background', async () => {
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
    await expect.poll(() => lives(Number(out)), { timeout: 5_000 }).toBe(false);
  });

  it('ends with a client all that ran on its terminal, whatever group it is in', async (context) => {
    if (!driver.hasTerminals) return context.skip('this machine has no program for terminals');
    const { running } = await container('pause');
    const client = new AbortController();
    let out = '';
    const session = await running.exec({
      // Each job of a shell on a terminal has a group of its own.
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
    await expect.poll(() => out, { timeout: 10_000 }).toMatch(/job \d+ on \/dev\/pts\/\d+\r\n/);
    const job = Number(/job (\d+)/.exec(out)?.[1]);
    client.abort();
    await session.exited;
    await expect.poll(() => lives(job), { timeout: 5_000 }).toBe(false);
    await running.stop({ graceMs: 1_000 });
    return undefined;
  });

  it('serves nginx on the address of the pod', async () => {
    const { running, podIP, log } = await container('nginx:1.27');
    await expect.poll(log, { timeout: 10_000 }).toMatch(/listening on .*:(\d+)\n/);
    const port = /listening on .*:(\d+)\n/.exec(log())?.[1];
    const page = () => fetch(`http://${podIP}:${port}/`).then((response) => response.text());
    await expect.poll(() => page().catch(String), { timeout: 10_000 }).toContain('Welcome to nginx!');
    await expect.poll(log, { timeout: 10_000 }).toMatch(/"GET \/.*" 200/);
    expect(await running.stop({ graceMs: 2_000 })).toMatchObject({ exitCode: 0 });
  });

  it('serves redis on the address of the pod', async () => {
    const { running, podIP, log } = await container('redis:7');
    await expect.poll(log, { timeout: 10_000 }).toContain('Ready to accept connections');
    const socket = connect(6379, podIP, () => socket.write('PING\r\n'));
    const answer = await new Promise((resolve, reject) => socket.once('data', resolve).once('error', reject));
    socket.destroy();
    expect(String(answer)).toBe('+PONG\r\n');
    expect(await running.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 0 });
  });

  it('says how to map an image that it does not know', async () => {
    await expect(driver.pullImage('registry.example.com/team/app:1')).rejects.toThrow(
      /not in this node's image map .*postgres.*: add an ImageSource/,
    );
    await expect(driver.pullImage('Not An Image')).rejects.toThrow(/couldn't parse image name/);
  });

  it('refuses uid 0', async () => {
    if (process.getuid?.() !== 0) return; // only root could start it at all
    await expect(container('busybox', { securityContext: { runAsUser: 0 } })).rejects.toThrow(/--allow-root-pods/);
    await expect(container('busybox', { securityContext: { runAsUser: 54_321 } })).rejects.toThrow(/user database/);
  });

  it('runs a real PostgreSQL with the documented environment, on the address of the pod', async () => {
    const env = new Map([
      ['POSTGRES_USER', 'owner'],
      ['POSTGRES_PASSWORD', "it's a secret"],
    ]);
    const { running, podIP, log } = await container('postgres:17', { env });
    await expect.poll(log, { timeout: 15_000 }).toContain('database system is ready to accept connections');
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
    const version = /PostgreSQL (\d+)(\.\d+)* runs here, not 17\n/.exec(log())?.[0];
    if (!log().includes('starting PostgreSQL 17')) expect(log()).toContain(`[kubewright] postgres: ${version}`);
    expect(await running.stop({ graceMs: 5_000 })).toMatchObject({ exitCode: 0, reason: 'Completed' });
  });
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // There is no such process.
    return false;
  }
}
