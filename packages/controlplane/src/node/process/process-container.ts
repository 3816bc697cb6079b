import { Buffer } from 'node:buffer';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { TerminalSize } from '../../kube-apiserver/pods/node-connector.ts';
import type { AttachRequest, ContainerExit, ExecRequest, ExecSession, RunningContainer } from '../driver.ts';
import { EarlyOutput } from './early-output.ts';
import { CommandError } from './find-command.ts';
import { outputRead } from './output-read.ts';
import { groupLives, killGroup, killSessions, type ProcessJournal } from './process-journal.ts';
import { readTerminal, resizeCommand } from './terminal.ts';

/** Options for {@link ProcessContainer}. */
export interface ProcessContainerOptions {
  readonly id: string;
  readonly child: ChildProcess & { readonly pid: number };
  readonly stopSignal: NodeJS.Signals;
  readonly clock: Clock;
  /** True if the first attached client that closes its input also closes the container's. */
  readonly stdinOnce: boolean;
  /** Starts another command with the same environment, folder and user. */
  readonly spawnBeside: (command: readonly string[], options: { readonly terminal: boolean }) => ChildProcess;
  /** Records the processes of terminals. Other processes are recorded by the function that starts them. */
  readonly journal: ProcessJournal;
  /** Kills everything that the container has started, in any session, and the descendants of `roots`. */
  readonly endAll: (roots: readonly number[]) => Promise<void>;
  /** True if `endAll` also finds processes left behind by exec commands. If false, their process groups are tracked instead. */
  readonly endsLeftovers: boolean;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
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
  readonly #beside = new Set<number>();
  /** Set only for a container with `stdinOnce`. */
  readonly #firstWords: EarlyOutput | undefined;

  constructor(options: ProcessContainerOptions) {
    this.#options = options;
    this.containerId = options.id;
    this.startedAtMs = options.clock.now();
    endEarly(options.child);
    if (options.stdinOnce) this.#firstWords = new EarlyOutput(options.child);
    this.exited = new Promise((resolve) => {
      options.child.once('exit', (code, signal) => {
        const exit = exitOf(code, signal, options.clock.now());
        const resolved = (): void => resolve(exit);
        // Errors while killing or reading do not change the container's exit.
        void this.#endRest().then(resolved, resolved);
      });
    });
  }

  /** Kills the remaining processes after the main process has ended, and reads the remaining output. */
  async #endRest(): Promise<void> {
    const { child, clock, endAll } = this.#options;
    killGroup(child.pid, 'SIGKILL');
    await endAll([...this.#beside]);
    // On systems where `endAll` cannot find everything that they started.
    killSessions(this.#beside);
    await outputRead(child, clock);
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<ContainerExit> {
    const { child, stopSignal, clock, endAll } = this.#options;
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    if (hasEnded()) return this.exited;
    if (graceMs > 0) {
      signalProcess(child.pid, stopSignal);
      const over = new AbortController();
      // Rejected if it ends within its grace period.
      const grace = sleep(clock, { ms: graceMs, signal: over.signal }).catch(() => undefined);
      await Promise.race([this.exited, grace]);
      over.abort();
    }
    if (!hasEnded()) {
      // Kill the descendants first: once the main process is dead, they cannot be found.
      await endAll([child.pid]);
      if (!hasEnded()) killGroup(child.pid, 'SIGKILL');
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
      const tell = request.sizes ? request.stdout : request.stderr;
      tell(Buffer.from(`exec failed: ${error.message}${request.sizes ? '\r' : ''}\n`));
      return { exited: Promise.resolve({ exitCode: error.exitCode }) };
    }
    const { pid } = child;
    if (pid !== undefined) this.#beside.add(pid);
    const exited = new Promise<{ exitCode: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        const { exitCode } = exitOf(code, signal, 0);
        // From now on the pid may be reused.
        if (this.#options.endsLeftovers && pid !== undefined) this.#beside.delete(pid);
        // A background process may hold the output open forever.
        void outputRead(child, this.#options.clock).then(() => resolve({ exitCode }));
      });
    });
    child.stdout?.on('data', request.stdout);
    child.stderr?.on('data', request.sizes ? request.stdout : request.stderr);
    const leaders = new Set(pid === undefined ? [] : [pid]);
    const kill = (): void => killSessions(leaders);
    request.signal.addEventListener('abort', kill, { once: true });
    endEarly(child);
    void feed(child, request.stdin).then(() => child.stdin?.end());
    if (request.sizes) void this.#keepTerminal(child, { sizes: request.sizes, leaders });
    const forget = (): void => {
      request.signal.removeEventListener('abort', kill);
      // Background processes of a command end with the container, as in a real one.
      for (const leader of leaders) {
        if (this.#options.endsLeftovers || !groupLives(leader)) this.#beside.delete(leader);
      }
    };
    void exited.then(forget, forget);
    return { exited };
  }

  /** Records the session of a terminal's command, and resizes the terminal. */
  async #keepTerminal(
    child: ChildProcess,
    { sizes, leaders }: { readonly sizes: AsyncIterable<TerminalSize>; readonly leaders: Set<number> },
  ): Promise<void> {
    const { journal, spawnBeside } = this.#options;
    const terminal = await readTerminal(child);
    if (!terminal) return;
    leaders.add(terminal.pid);
    this.#beside.add(terminal.pid);
    journal.add(terminal.pid);
    child.once('exit', () => journal.remove(terminal.pid));
    for await (const size of sizes) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      try {
        const resize = spawnBeside(resizeCommand(terminal, size), { terminal: false });
        // The command may end before its terminal is resized.
        resize.on('error', () => undefined);
        resize.stdin?.end();
      } catch (error) {
        // A machine without `stty`: the terminal keeps its size.
        if (error instanceof CommandError) return;
        throw error;
      }
    }
  }

  async attach(request: AttachRequest): Promise<void> {
    const { child, stdinOnce } = this.#options;
    const { stdin, stdout, stderr, signal } = request;
    this.#firstWords?.hear(request);
    child.stdout?.on('data', stdout);
    child.stderr?.on('data', stderr);
    if (stdin && child.stdin) void feed(child, stdin).then(() => stdinOnce && child.stdin?.end());
    const left = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.exited, left]);
    child.stdout?.off('data', stdout);
    child.stderr?.off('data', stderr);
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It exited on its own in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Ignores broken pipes, because a process may end without reading all of its input. */
function endEarly({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => undefined);
}

/** Copies input to a process until one of them ends. */
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
    const number = SIGNAL_NUMBERS[signal] ?? 0;
    return { exitCode: 128 + number, signal: number, reason: 'Error', finishedAtMs };
  }
  return { exitCode: code ?? 0, reason: code === 0 ? 'Completed' : 'Error', finishedAtMs };
}
