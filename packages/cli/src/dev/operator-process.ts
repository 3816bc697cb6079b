import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import { type BuildContext, context } from 'esbuild';
import { bundleError, bundleSettings } from '../bundle/bundle-operator.ts';
import type { Child, Surroundings } from '../program/surroundings.ts';
import type { Project } from '../project/find-project.ts';
import type { LogRecord } from '../story/log-record.ts';
import { OperatorOutput } from '../story/operator-output.ts';

/** How long an operator may take to end before it is killed, in milliseconds. */
const graceMs = 1_200;

/** What an operator is run with. */
export interface OperatorOptions {
  readonly project: Project;
  readonly surroundings: Surroundings;
  readonly kubeconfig: string;
  /** More flags of the operator. */
  readonly flags?: readonly string[];
  /** Told when it is started. */
  readonly onStart?: () => void;
  /** Told when the operator ends though nobody asked it to. */
  readonly onEnd: (exitCode: number) => void;
  /** Folder of the bundle, below `.kubewright`. @defaultValue 'dev' */
  readonly folder?: string | undefined;
  /** Shows all frames of stacks. @defaultValue false */
  readonly fullStacks?: boolean | undefined;
  /** Where what it tells is shown. @defaultValue the program's output */
  readonly write?: ((text: string) => void) | undefined;
  /** Sees its log. */
  readonly onRecord?: ((record: LogRecord) => void) | undefined;
}

/** The operator of a project as a process of its own, bundled anew for each start. */
export class OperatorProcess implements AsyncDisposable {
  readonly #options: OperatorOptions;
  readonly #outfile: string;
  #bundler: BuildContext | undefined;
  #child: Child | undefined;

  constructor(options: OperatorOptions) {
    this.#options = options;
    const folder = join(options.project.root, '.kubewright', options.folder ?? 'dev');
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

  /** Asks it to end, and waits until it has. */
  async stop(): Promise<void> {
    await this.#stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#stop(), this.#bundler?.dispose()]);
  }

  #start(): void {
    const { project, surroundings, kubeconfig, onEnd, onRecord, fullStacks = false } = this.#options;
    const { program, env, stdout, colors } = surroundings;
    // Addresses are the machine's: another operator's must not be in the way.
    const addresses = ['--health-probe-bind-address=0', '--metrics-bind-address=0', ...(this.#options.flags ?? [])];
    // As records, for the story; what reconciles did is of level debug.
    const flags = ['--zap-encoder=json', '--zap-log-level=debug', ...addresses];
    const write = this.#options.write ?? ((text: string) => void stdout.write(text));
    const output = new OperatorOutput({
      write,
      root: project.root,
      full: fullStacks,
      colors,
      ...(onRecord && { onRecord }),
    });
    const command = [program[0] ?? 'node', '--enable-source-maps', this.#outfile, ...flags];
    const child = surroundings.spawn(command, {
      cwd: project.root,
      env: { ...env, KUBECONFIG: kubeconfig },
      onOutput: (text) => output.take(text),
    });
    this.#child = child;
    this.#options.onStart?.();
    void child.ended.then((exitCode) => {
      output.end();
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
