import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { processesIn } from './processes.ts';
import { repository } from './repository.ts';

/** Options for running `npm start`. */
export interface StartSettings {
  /** The working directory, where `.kubewright/` is created. */
  readonly cwd: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The checkout to start. @defaultValue the checkout under test */
  readonly checkout?: string;
  /** A command that runs `npm start`, such as `setpriv …`. */
  readonly prefix?: readonly string[];
}

/** The exit code or signal of a program. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running `npm start`, as seen by a user. */
export class Started implements AsyncDisposable {
  readonly cwd: string;
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess & { readonly pid: number };
  #output = '';
  #wake: () => void = () => {};

  constructor(settings: StartSettings) {
    const { cwd, flags = [], env = {}, checkout = repository, prefix = [] } = settings;
    this.cwd = cwd;
    const [file = '', ...args] = [...prefix, process.execPath, join(checkout, 'scripts', 'start.mjs'), ...flags];
    const { INIT_CWD: _npm, KUBECONFIG: _cluster, ...inherited } = process.env;
    const child = spawn(file, args, { cwd, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child as ChildProcess & { readonly pid: number };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#wake();
      });
    }
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        resolve({ code, signal });
        this.#wake();
      });
    });
  }

  /** The complete output so far. */
  get output(): string {
    return this.#output;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get kubeconfig(): string {
    return join(this.cwd, '.kubewright', 'kubeconfig');
  }

  /** Waits until the output matches `pattern`. @throws Error with the whole output if the program ends first. */
  async printed(pattern: RegExp): Promise<RegExpMatchArray> {
    let over = false;
    void this.ended.then(() => {
      over = true;
    });
    for (;;) {
      const match = this.#output.match(pattern);
      if (match) return match;
      if (over) throw new Error(`it ended without printing ${pattern}:\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Waits for the instructions that follow the steps. */
  async ready(): Promise<void> {
    await this.printed(/Ctrl-C here stops everything\./);
  }

  /** The lines of output between the startup steps and the log. */
  get instructions(): readonly string[] {
    const lines = this.#output.split('\n');
    const start = lines.findIndex((line) => line.startsWith('Try it from a second terminal'));
    const end = lines.findIndex((line) => line.startsWith('Ctrl-C here'));
    return lines.slice(start, end + 1);
  }

  /** The instance's folder for containers, in the system's temporary folder. */
  get sandbox(): string {
    const note = readFileSync(join(this.cwd, '.kubewright', 'node', 'sandbox.json'), 'utf8');
    return (JSON.parse(note) as { readonly root: string }).root;
  }

  /** Sends a signal and waits until the program ends; returns its exit status and the elapsed milliseconds. */
  async stop(signal: NodeJS.Signals): Promise<Ending & { readonly afterMs: number }> {
    const from = performance.now();
    this.#child.kill(signal);
    const ending = await this.ended;
    return { ...ending, afterMs: performance.now() - from };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    await this.stop('SIGTERM');
  }
}

/**
 * Returns the maximum time to stop an instance, in milliseconds. Users are promised 5 s. On a busy machine, stopping
 * takes longer, so the limit is higher and only detects instances that hang.
 */
export function stopLimitMs(): number {
  const [load = 0] = loadavg();
  return load < availableParallelism() ? 5_000 : 60_000;
}

/** Returns the remains of a stopped instance: its sandbox folder, processes in that folder, and its lock. */
export function leftovers(cwd: string, sandbox: string): readonly string[] {
  const state = join(cwd, '.kubewright');
  const paths = [sandbox, join(state, 'instance.json'), join(state, 'node', 'sandbox.json')];
  return [...paths.filter((path) => existsSync(path)), ...processesIn(sandbox)];
}
