import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import { type BuildContext, context } from 'esbuild';
import { bundleError, bundleSettings } from '../bundle/bundle-operator.ts';
import type { Child, Surroundings } from '../program/surroundings.ts';
import type { Project } from '../project/find-project.ts';

/** How long an operator may take to end before it is killed, in milliseconds. */
const graceMs = 1_200;

/** What an operator is run with. */
export interface OperatorOptions {
  readonly project: Project;
  readonly surroundings: Surroundings;
  readonly kubeconfig: string;
  /** Told when the operator ends though nobody asked it to. */
  readonly onEnd: (exitCode: number) => void;
}

/** The operator of a project as a process of its own, bundled anew for each start. */
export class OperatorProcess implements AsyncDisposable {
  readonly #options: OperatorOptions;
  readonly #outfile: string;
  #bundler: BuildContext | undefined;
  #child: Child | undefined;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const folder = join(options.project.root, '.kubewright', 'dev');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#outfile = join(folder, 'main.mjs');
  }

  /** Bundles, and starts in place of what runs; that goes on if the bundle fails. @throws CliError KW7501 */
  async restart(): Promise<void> {
    const { root } = this.#options.project;
    try {
      this.#bundler ??= await context(
        bundleSettings({ root, entry: join(root, 'src', 'main.ts'), outfile: this.#outfile }),
      );
      await this.#bundler.rebuild();
    } catch (error) {
      throw await bundleError(error);
    }
    await this.#stop();
    this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#stop(), this.#bundler?.dispose()]);
  }

  #start(): void {
    const { project, surroundings, kubeconfig, onEnd } = this.#options;
    const { program, env, stdout } = surroundings;
    // Addresses are the machine's: another operator's must not be in the way.
    const flags = ['--zap-encoder=console', '--health-probe-bind-address=0', '--metrics-bind-address=0'];
    const command = [program[0] ?? 'node', '--enable-source-maps', this.#outfile, ...flags];
    const child = surroundings.spawn(command, {
      cwd: project.root,
      env: { ...env, KUBECONFIG: kubeconfig },
      onOutput: (text) => void stdout.write(text),
    });
    this.#child = child;
    void child.ended.then((exitCode) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      onEnd(exitCode);
    });
  }

  async #stop(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    child.kill('SIGTERM');
    const over = new AbortController();
    const late = sleep(this.#options.surroundings.clock, { ms: graceMs, signal: over.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
    await child.ended;
    over.abort();
    await late;
  }
}
