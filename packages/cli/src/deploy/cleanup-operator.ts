import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorProcess } from '../operator/operator-process.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';

const folder = 'cleanup';

/** Options for the operator that cleans up. */
export interface CleanupOperatorOptions {
  readonly context: Context;
  readonly project: Project;
  /** The operator's flags that select the cluster. */
  readonly flags: readonly string[];
  /** @defaultValue the default kubeconfig */
  readonly kubeconfig: string | undefined;
}

/**
 * Runs a project's operator from source as long as objects need its cleanup. If the operator was removed before the
 * objects, they still carry its finalizers, and only the operator's code can handle these finalizers.
 */
export class CleanupOperator implements AsyncDisposable {
  readonly #options: CleanupOperatorOptions;
  #process: OperatorProcess | undefined;

  constructor(options: CleanupOperatorOptions) {
    this.#options = options;
  }

  /** Starts the operator unless it is already running. Returns false if it cannot run. */
  async attend(): Promise<boolean> {
    const { context, project, flags, kubeconfig } = this.#options;
    const { environment, reporter } = context;
    if (this.#process) return this.#process.isRunning;
    // The operator cannot run before npm install.
    if (!existsSync(join(project.root, 'node_modules'))) return false;
    reporter.step('operator', 'not running in the cluster; running src/main.ts locally to clean up');
    this.#process = new OperatorProcess({
      project,
      environment,
      folder,
      flags: () => ['--webhook-port=-1', ...flags],
      kubeconfig: () => kubeconfig ?? environment.env['KUBECONFIG'] ?? '',
      onEnd: (exitCode) => reporter.step('operator exited', `with exit code ${exitCode}`, 'bad'),
      write: () => {},
    });
    try {
      await this.#process.restart();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      reporter.step('operator', `cannot run locally: ${error.message}`, 'bad');
      return false;
    }
    await this.#process.working(environment.signal);
    return this.#process.isRunning;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#process) return;
    await this.#process[Symbol.asyncDispose]();
    rmSync(join(this.#options.project.root, '.kubewright', folder), { recursive: true, force: true });
  }
}
