import { Buffer } from 'node:buffer';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { AttachRequest, ContainerExit, ExecRequest, ExecSession, RunningContainer } from '../driver.ts';
import { EarlyOutput } from './early-output.ts';
import { CommandError } from './find-command.ts';
import { outputRead } from './output-read.ts';
import { isSameProcess, type ProcessIdentity, processIdentity } from './process-identity.ts';
import { groupLives, killGroup, killSessions, type ProcessJournal } from './process-journal.ts';
import { ProcessTerminal } from './process-terminal.ts';
import { SharedOutput } from './shared-output.ts';

/** Options for {@link ProcessContainer}. */
export interface ProcessContainerOptions {
  readonly id: string;
  readonly child: ChildProcess & { readonly pid: number };
  readonly stopSignal: NodeJS.Signals;
  /** Process that gets the stop signal. @defaultValue the leader of the terminal, or else `child` */
  readonly mainPid?: number;
  readonly clock: Clock;
  /** True if the first attached client that closes its input also closes the container's input. */
  readonly stdinOnce: boolean;
  /** True if `child` holds a terminal on which the container's main process runs. */
  readonly onTerminal: boolean;
  /** Starts another command with the same environment, folder and user. */
  readonly spawnBeside: (command: readonly string[], options: { readonly terminal: boolean }) => ChildProcess;
  /** Records the processes of terminals. Other processes are recorded by the function that starts them. */
  readonly journal: ProcessJournal;
  /** Kills everything that the container has started, in any session, as well as `roots` and their descendants. */
  readonly endAll: (roots: readonly ProcessIdentity[]) => Promise<void>;
  /** True if `endAll` also finds processes left behind by exec commands. If false, their process groups are tracked instead. */
  readonly endsLeftovers: boolean;
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** A container that is a group of local processes. */
export class ProcessContainer implements RunningContainer {
  readonly containerId: string;
  readonly startedAtMs: number;
  readonly exited: Promise<ContainerExit>;
  readonly #options: ProcessContainerOptions;
  /** Leaders of the process groups of exec commands, which end with the container. */
  readonly #beside = new Set<ProcessIdentity>();
  /** Leaders of the terminals of exec commands. */
  readonly #terminalsBeside = new Set<ProcessIdentity>();
  readonly #stdout: SharedOutput;
  readonly #stderr: SharedOutput;
  /** Set only for a container with `stdinOnce`. */
  readonly #earlyOutput: EarlyOutput | undefined;
  /** The container's own terminal. */
  readonly #terminal: ProcessTerminal | undefined;
  readonly #main: ProcessIdentity;

  constructor(options: ProcessContainerOptions) {
    this.#options = options;
    this.containerId = options.id;
    this.startedAtMs = options.clock.now();
    this.#main = processIdentity(options.child.pid);
    this.#stdout = new SharedOutput(options.child.stdout);
    this.#stderr = new SharedOutput(options.child.stderr);
    ignoreBrokenPipes(options.child);
    if (options.stdinOnce) this.#earlyOutput = new EarlyOutput(options.child);
    if (options.onTerminal) this.#terminal = this.#terminalOf(options.child);
    this.exited = new Promise((resolve) => {
      options.child.once('exit', (code, signal) => {
        const exit = exitOf(code, signal, options.clock.now());
        const resolved = (): void => resolve(exit);
        // Errors while killing or reading do not change the container's exit.
        void this.#endRest().then(resolved, resolved);
      });
    });
  }

  /** The process id of the container's main process. */
  get pid(): number {
    return this.#options.child.pid;
  }

  /** Kills the remaining processes after the main process has ended, and reads the remaining output. */
  async #endRest(): Promise<void> {
    const { child, clock, endAll } = this.#options;
    this.#stdout.release();
    this.#stderr.release();
    killGroup(this.#main, 'SIGKILL');
    await endAll([...this.#beside, ...this.#terminalsBeside]);
    // On some systems `endAll` cannot find everything that the exec commands started.
    killSessions([...this.#beside, ...this.#terminalsBeside]);
    await outputRead(child, clock);
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<ContainerExit> {
    const { child, stopSignal, mainPid, clock, endAll } = this.#options;
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    if (hasEnded()) return this.exited;
    if (graceMs > 0) {
      const over = new AbortController();
      const ignore = (): undefined => undefined;
      // Rejects if the container ends within its grace period.
      const grace = sleep(clock, { ms: graceMs, signal: over.signal }).then(ignore, ignore);
      // The program that holds a terminal must survive the signal, to report the exit code. The terminal can take a
      // long time to open.
      const leader = await Promise.race([this.#terminal?.leader, this.exited.then(ignore), grace]);
      if (!hasEnded() && (!leader || isSameProcess(leader)))
        signalProcess(mainPid ?? leader?.pid ?? child.pid, stopSignal);
      await Promise.race([this.exited, grace]);
      over.abort();
    }
    if (!hasEnded()) {
      // Kill the descendants first: once the main process is dead, they can no longer be found.
      await endAll([this.#main]);
      if (!hasEnded()) killGroup(this.#main, 'SIGKILL');
    }
    return this.exited;
  }

  async exec(request: ExecRequest): Promise<ExecSession> {
    request.signal.throwIfAborted();
    let child: ChildProcess;
    try {
      child = this.#options.spawnBeside(request.command, { terminal: request.sizes !== undefined });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const write = request.sizes ? request.stdout : request.stderr;
      await write(Buffer.from(`exec failed: ${error.message}${request.sizes ? '\r' : ''}\n`));
      return { exited: Promise.resolve({ exitCode: error.exitCode }) };
    }
    const started = child.pid === undefined ? undefined : processIdentity(child.pid);
    if (started) this.#beside.add(started);
    const outputs = [new SharedOutput(child.stdout), new SharedOutput(child.stderr)] as const;
    const exited = new Promise<{ exitCode: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const { exitCode } = exitOf(code, signal, 0);
        for (const output of outputs) output.release();
        // From now on the pid may be reused.
        if (this.#options.endsLeftovers && started) this.#beside.delete(started);
        // A background process may hold the output open forever.
        void outputRead(child, this.#options.clock).then(() => resolve({ exitCode }));
      });
    });
    outputs[0].passTo(request.stdout);
    outputs[1].passTo(request.sizes ? request.stdout : request.stderr);
    const terminals = new Set<ProcessIdentity>();
    const kill = (): void => killSessions([...(started ? [started] : []), ...terminals]);
    request.signal.addEventListener('abort', kill, { once: true });
    ignoreBrokenPipes(child);
    void feed(child, request.stdin).then(() => child.stdin?.end());
    if (request.sizes) {
      const terminal = this.#terminalOf(child);
      void terminal.leader.then((leader) => {
        if (leader === undefined) return;
        terminals.add(leader);
        this.#terminalsBeside.add(leader);
      });
      void terminal.follow(request.sizes);
    }
    const forget = (): void => {
      request.signal.removeEventListener('abort', kill);
      // Background processes of a command end with the container, as in a real container.
      if (started && (this.#options.endsLeftovers || !groupLives(started.pid))) this.#beside.delete(started);
      for (const leader of terminals) this.#terminalsBeside.delete(leader);
    };
    void exited.then(forget, forget);
    return { exited };
  }

  /** Records the leader of a terminal's session until the program that holds the terminal has ended. */
  #terminalOf(child: ChildProcess): ProcessTerminal {
    const { journal, spawnBeside } = this.#options;
    const terminal = new ProcessTerminal(child, { start: (command) => spawnBeside(command, { terminal: false }) });
    void terminal.leader.then((leader) => {
      if (leader === undefined || child.exitCode !== null || child.signalCode !== null) return;
      journal.add(leader);
      child.once('exit', () => journal.remove(leader.pid));
    });
    return terminal;
  }

  async attach(request: AttachRequest): Promise<void> {
    const { child, stdinOnce } = this.#options;
    const { stdin, stdout, stderr, signal, sizes } = request;
    this.#earlyOutput?.replayTo(request);
    const passed = [this.#stdout.passTo(stdout), this.#stderr.passTo(stderr)];
    if (sizes) void this.#terminal?.follow(sizes);
    // A terminal stays open when its first client leaves, as with containerd.
    const closes = stdinOnce && !this.#terminal;
    if (stdin && child.stdin) void feed(child, stdin).then(() => closes && child.stdin?.end());
    const left = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.exited, left]);
    for (const output of passed) output[Symbol.dispose]();
  }
}

/** Signals a process. Ignores processes that no longer exist or belong to other users, and invalid pids. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  // Pid 0 would be our own process group.
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: the process exited on its own in the meantime.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Ignores broken pipes, because a process may end without reading all of its input. */
function ignoreBrokenPipes({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => undefined);
}

/** Copies input to a process until the input or the process ends. */
async function feed(child: ChildProcess, input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  const { stdin } = child;
  if (!stdin) return;
  try {
    for await (const chunk of input ?? []) {
      if (!stdin.writable) break;
      if (!stdin.write(chunk)) await drained(stdin);
    }
  } catch {
    // The client disconnected; the abort signal ends the command.
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.removeListener('drain', done).removeListener('close', done);
      resolve();
    };
    stream.once('drain', done).once('close', done);
  });
}

function exitOf(code: number | null, signal: NodeJS.Signals | null, finishedAtMs: number): ContainerExit {
  if (signal !== null) {
    const number = signalNumbers[signal] ?? 0;
    return { exitCode: 128 + number, signal: number, reason: 'Error', finishedAtMs };
  }
  return { exitCode: code ?? 0, reason: code === 0 ? 'Completed' : 'Error', finishedAtMs };
}
