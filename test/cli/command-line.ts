import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The exit code and output of a command. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a command. */
export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The bundled command line. Runs each command in a separate process, as a user would. */
export class CommandLine implements Disposable {
  /** A folder for the test, outside of any project. */
  readonly folder: string = mkdtempSync(join(tmpdir(), 'kw cli-'));
  readonly #bundle: string;
  readonly #running = new Set<ChildProcess>();

  private constructor(bundle: string) {
    this.#bundle = bundle;
  }

  static async build(): Promise<CommandLine> {
    // Must be inside the repository, so that packages that are not bundled can be resolved.
    const cache = join(repository, 'node_modules', '.cache');
    mkdirSync(cache, { recursive: true });
    const outdir = mkdtempSync(join(cache, 'kubewright-cli-'));
    writeFileSync(join(outdir, 'package.json'), '{ "type": "module" }');
    await build({
      entryPoints: [join(repository, 'packages/cli/src/main.ts')],
      outdir,
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      conditions: ['kubewright-source'],
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      external: ['esbuild', 'typescript', 'prom-client', '@opentelemetry/api', 'kubernetes-types'],
      logLevel: 'error',
    });
    return new CommandLine(outdir);
  }

  /** Runs a command until it exits. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const command = this.start(args, options);
    return { code: await command.ended, stdout: command.stdout(), stderr: command.stderr() };
  }

  /** Starts a command that keeps running. */
  start(args: readonly string[], options: RunOptions = {}): Started {
    return this.#spawn([process.execPath, join(this.#bundle, 'main.js'), ...args], { ...options, stdin: 'ignore' });
  }

  /**
   * Starts a command in a new pseudo-terminal that accepts keyboard input. When the command ends, prints its exit code
   * and runs the shell line `after`.
   */
  startAtTerminal(args: readonly string[], options: RunOptions & { readonly after: string }): Started {
    const words = [process.execPath, join(this.#bundle, 'main.js'), ...args].map((word) => `'${word}'`);
    const script = `stty columns 200; ${words.join(' ')}; echo exit $?; ${options.after}`;
    return this.#spawn(['script', '-qefc', script, '/dev/null'], { ...options, stdin: 'pipe' });
  }

  #spawn(
    [command = '', ...args]: readonly string[],
    { cwd = this.folder, env = {}, stdin }: RunOptions & { readonly stdin: 'ignore' | 'pipe' },
  ): Started {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(command, args, {
      cwd,
      env: { PATH, HOME: join(HOME, 'none'), NO_COLOR: '1', ...env },
      stdio: [stdin, 'pipe', 'pipe'],
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>;
    this.#running.add(child);
    const written = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text));
    const ended = new Promise<number>((resolve) => {
      child.once('close', (code) => {
        this.#running.delete(child);
        resolve(code ?? -1);
      });
    });
    return { child, ended, stdout: () => written.stdout, stderr: () => written.stderr };
  }

  /** Kills all running commands and waits until they exit. */
  async stopAll(): Promise<void> {
    const running = [...this.#running];
    const ended = running.map((child) => new Promise((resolve) => child.once('close', resolve)));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#bundle, { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A running command. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number>;
  stdout(): string;
  stderr(): string;
}
