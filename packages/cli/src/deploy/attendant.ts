import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorProcess } from '../dev/operator-process.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';

const folder = 'clean-up';

/** What an attendant needs. */
export interface AttendantOptions {
  readonly context: Context;
  readonly project: Project;
  /** Which cluster it works in, as flags of the operator. */
  readonly flags: readonly string[];
  /** @defaultValue the usual one */
  readonly kubeconfig: string | undefined;
}

/**
 * The operator of a project, run from its sources as long as objects need its clean-up: an operator that was taken away before
 * them has left its finalizers on them, and nobody but its code knows what they stand for.
 */
export class Attendant implements AsyncDisposable {
  readonly #options: AttendantOptions;
  #process: OperatorProcess | undefined;

  constructor(options: AttendantOptions) {
    this.#options = options;
  }

  /** Starts the operator, unless it runs; false if it cannot be run. */
  async attend(): Promise<boolean> {
    const { context, project, flags, kubeconfig } = this.#options;
    const { surroundings, reporter } = context;
    if (this.#process) return this.#process.isRunning;
    // Before npm install there is nothing to run it with.
    if (!existsSync(join(project.root, 'node_modules'))) return false;
    reporter.step('operator', 'is not there: src/main.ts runs here, for its clean-up');
    this.#process = new OperatorProcess({
      project,
      surroundings,
      folder,
      flags: () => ['--webhook-port=-1', ...flags],
      kubeconfig: () => kubeconfig ?? surroundings.env['KUBECONFIG'] ?? '',
      onEnd: (exitCode) => reporter.step('operator ended', `by itself, with exit code ${exitCode}`, 'bad'),
      write: () => {},
    });
    try {
      await this.#process.restart();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      reporter.step('operator', `cannot be run: ${error.message}`, 'bad');
      return false;
    }
    await this.#process.working(surroundings.signal);
    return this.#process.isRunning;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#process) return;
    await this.#process[Symbol.asyncDispose]();
    rmSync(join(this.#options.project.root, '.kubewright', folder), { recursive: true, force: true });
  }
}
