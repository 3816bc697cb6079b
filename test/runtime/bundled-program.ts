import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Bundles the programs in `programs/`, so that tests can run them as separate processes on any Node version. */
export class BundledPrograms implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kw-program-'));
  readonly #running = new Set<ChildProcess>();

  /** Bundles programs by name. */
  async build(...names: readonly string[]): Promise<void> {
    await build({
      entryPoints: names.map((name) => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))),
      outdir: this.#folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['kubewright-source'],
      // Needed by CommonJS packages inside a module.
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
      external: ['prom-client', '@opentelemetry/api'],
      logLevel: 'error',
    });
  }

  /** Starts a program; its output lines go to `onLine`. Disposal kills the program, even if it is suspended. */
  start(name: string, options: StartOptions): ChildProcess {
    const child = spawn(process.execPath, [join(this.#folder, `${name}.mjs`), ...options.args], {
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) options.onLine(line);
    });
    return child;
  }

  [Symbol.dispose](): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Options for starting a program. */
export interface StartOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onLine: (line: string) => void;
}
