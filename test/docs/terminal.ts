import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The output of the lines that were typed last. */
export interface Shown {
  /** The exit code; undefined while the lines run. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** Standard output and standard error, interleaved as a reader sees them. */
  readonly all: string;
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

/** The shell script that runs the lines. Restores the folder and the exported variables that the previous lines left. */
const script = `cd "$DOCS_FOLDER"; [ ! -f "$DOCS_STATE/env" ] || . "$DOCS_STATE/env"
trap 'export -p > "$DOCS_STATE/env"; pwd > "$DOCS_STATE/folder"' EXIT
set -e
`;

/** Timeout for typed lines, in milliseconds; allows for installations and clusters on a busy machine. */
const patienceMs = 180_000;

/** Options for a {@link Terminal}. */
export interface TerminalOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** True to use a pseudo-terminal. Otherwise standard output and standard error are captured separately. */
  readonly real: boolean;
}

/** A reader's terminal. */
export class Terminal {
  readonly #state = mkdtempSync(join(tmpdir(), 'kw-terminal-'));
  readonly #env: Readonly<Record<string, string>>;
  readonly #first: string;
  readonly #real: boolean;
  #running: Running | undefined;

  constructor({ folder, env, real }: TerminalOptions) {
    this.#first = folder;
    this.#env = env;
    this.#real = real;
  }

  /** The current folder. */
  get folder(): string {
    const kept = join(this.#state, 'folder');
    return existsSync(kept) ? readFileSync(kept, 'utf8').trim() : this.#first;
  }

  /** Types lines; resolves when they end, or as soon as `isEnough` accepts the output. */
  async type(lines: string, isEnough: (all: string) => boolean): Promise<Shown> {
    if (this.#running) throw new Error(`something runs in this terminal already; typed: ${lines}`);
    // The `script` command of util-linux creates the pseudo-terminal. Its standard input is typed into the terminal.
    const inTerminal = ['script', '-q', '-e', '-f', '-c', 'stty columns 200; bash -c "$DOCS_LINES"', '/dev/null'];
    const [program = '', ...args] = this.#real ? inTerminal : ['bash', '-c', script + lines];
    const own = { DOCS_STATE: this.#state, DOCS_FOLDER: this.folder, DOCS_LINES: script + lines };
    const child = spawn(program, args, {
      cwd: this.#first,
      env: { ...this.#env, ...own },
      stdio: [this.#real ? 'pipe' : 'ignore', 'pipe', 'pipe'],
      // Starts a process group, so that a signal reaches all processes of the terminal and no others.
      detached: true,
    });
    const written = { stdout: '', all: '' };
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.all += text));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      written.stdout += text.replaceAll('\r', '');
      written.all += text.replaceAll('\r', '');
    });
    // Waits until the shell exits, not until the pipes close, because background processes can keep the pipes open.
    const ended = new Promise<void>((resolve) => child.once('exit', () => setImmediate(resolve)));
    this.#running = { child, ended };
    let exitCode: number | undefined;
    void ended.then(() => {
      exitCode = child.exitCode ?? 128;
      this.#running = undefined;
    });
    const end = performance.now() + patienceMs;
    while (exitCode === undefined && !isEnough(written.all)) {
      if (performance.now() > end) throw new Error(`${lines}does not end; it wrote\n${written.all}`);
      await Promise.race([ended, pause(50)]);
    }
    return { exitCode, ...written };
  }

  /** Presses Ctrl-C and waits for the prompt. */
  async interrupt(): Promise<void> {
    const running = this.#running;
    running?.child.stdin?.write('\u0003');
    await running?.ended;
  }

  /** Kills all processes of the terminal. */
  async close(): Promise<void> {
    const running = this.#running;
    if (running?.child.pid) process.kill(-running.child.pid, 'SIGKILL');
    await running?.ended;
    rmSync(this.#state, { recursive: true, force: true });
  }
}
