import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type BundledProgram, bundledProgram } from './bundled-program.ts';

/** Runs the operator in a process that a test can kill and restart. */
export class OperatorProcess implements AsyncDisposable {
  readonly #program: BundledProgram;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;

  private constructor(program: BundledProgram, env: Readonly<Record<string, string>>) {
    this.#program = program;
    this.#env = env;
  }

  /** Starts `program`, by default the operator in this working copy. */
  static async start(
    kubeconfig: string,
    { program, env }: { readonly program?: BundledProgram; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<OperatorProcess> {
    const bundled = program ?? (await bundledProgram("import '#src/main.ts';"));
    const operator = new OperatorProcess(bundled, { KUBECONFIG: kubeconfig, ...env });
    operator.start();
    return operator;
  }

  /** Restarts the operator. Call this only after `kill`. */
  start(): void {
    const flags = ['--metrics-bind-address=0', '--health-probe-bind-address=0'];
    const env = { ...process.env, ...this.#env };
    const stdio = process.env['OPERATOR_LOG'] ? 'inherit' : 'ignore';
    this.#child = spawn(process.execPath, [this.#program.path, ...flags], { env, stdio: ['ignore', stdio, stdio] });
  }

  /** Kills the operator with SIGKILL. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    if (child.exitCode !== null) throw new Error(`the operator has exited with code ${child.exitCode}`);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    this.#program[Symbol.dispose]();
  }
}
