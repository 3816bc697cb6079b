import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { type Clock, sleep, type Timer } from '@kubewright/apimachinery';
import type { TerminalSize } from '../../apiserver/node-connector.ts';
import type { AttachRequest, ContainerExit, ExecRequest, ExecSession, RunningContainer } from '../driver.ts';
import { groupLives, killGroup, killSessions, type ProcessJournal } from './process-journal.ts';
import { readTerminal, resizeCommand } from './terminal.ts';

/** What a {@link ProcessContainer} is made of. */
export interface ProcessContainerOptions {
  readonly id: string;
  readonly child: ChildProcess & { readonly pid: number };
  readonly stopSignal: NodeJS.Signals;
  readonly clock: Clock;
  /** The first who attaches and ends its input ends the container's. */
  readonly stdinOnce: boolean;
  /** Starts another command with the same environment, folder and user. */
  readonly spawnBeside: (command: readonly string[], options: { readonly terminal: boolean }) => ChildProcess;
  /** Where the processes of terminals are noted; whoever starts a process notes that itself. */
  readonly journal: ProcessJournal;
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
  /** Leaders of the groups of commands that run beside it; they end with it. */
  readonly #beside = new Set<number>();

  constructor(options: ProcessContainerOptions) {
    this.#options = options;
    this.containerId = options.id;
    this.startedAtMs = options.clock.now();
    endEarly(options.child);
    this.exited = new Promise((resolve) => {
      // 'close' comes after the last output, so that no line of the log is lost.
      let holdUp: Timer | undefined;
      options.child.once('close', (code, signal) => {
        // From now on the number may be given to a stranger.
        holdUp?.[Symbol.dispose]();
        killGroup(options.child.pid, 'SIGKILL'); // what the main process left behind ends with it
        resolve(exitOf(code, signal, options.clock.now()));
      });
      options.child.once('exit', () => {
        killSessions(this.#beside);
        // A grandchild that holds the output open must not hold the exit back for long.
        holdUp = options.clock.setTimer(500, () => killGroup(options.child.pid, 'SIGKILL'), { unref: true });
      });
    });
  }

  async stop({ graceMs }: { readonly graceMs: number }): Promise<ContainerExit> {
    const { child, stopSignal, clock } = this.#options;
    if (child.exitCode === null && child.signalCode === null) {
      try {
        process.kill(child.pid, graceMs > 0 ? stopSignal : 'SIGKILL');
      } catch (error) {
        // It ended by itself in the meantime.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
      const over = new AbortController();
      const grace = sleep(clock, { ms: graceMs, signal: over.signal }).then(
        () => killGroup(child.pid, 'SIGKILL'),
        () => undefined, // it ended within its grace
      );
      await this.exited;
      over.abort();
      await grace;
    }
    return this.exited;
  }

  async exec(request: ExecRequest): Promise<ExecSession> {
    request.signal.throwIfAborted();
    const child = this.#options.spawnBeside(request.command, { terminal: request.sizes !== undefined });
    const { pid } = child;
    if (pid !== undefined) this.#beside.add(pid);
    const exited = new Promise<{ exitCode: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ exitCode: exitOf(code, signal, 0).exitCode }));
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
      // What a command left running in the background ends with the container, as it would in a real one.
      for (const leader of leaders) if (!groupLives(leader)) this.#beside.delete(leader);
    };
    void exited.then(forget, forget);
    return { exited };
  }

  /** Notes the session that a terminal's command leads, and gives the terminal its sizes. */
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
    child.once('close', () => journal.remove(terminal.pid));
    for await (const size of sizes) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const resize = spawnBeside(resizeCommand(terminal, size), { terminal: false });
      // The command may end before its terminal has its size.
      resize.on('error', () => undefined);
      resize.stdin?.end();
    }
  }

  async attach(request: AttachRequest): Promise<void> {
    const { child, stdinOnce } = this.#options;
    const { stdin, stdout, stderr, signal } = request;
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

/** Lets a process end without having read all of its input, as processes may. */
function endEarly({ stdin }: ChildProcess): void {
  stdin?.on('error', () => undefined);
}

/** Copies input to a process until either ends. */
async function feed(child: ChildProcess, input: AsyncIterable<Uint8Array> | undefined): Promise<void> {
  const { stdin } = child;
  if (!stdin) return;
  try {
    for await (const chunk of input ?? []) {
      if (!stdin.writable) break;
      if (!stdin.write(chunk)) await drained(stdin);
    }
  } catch {
    // The caller went away; the abort signal ends the command.
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
