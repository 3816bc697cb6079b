import type { Context } from '../program/context.ts';
import { failureOf } from '../program/failure.ts';
import type { Project } from '../project/find-project.ts';
import { testCommand } from '../test/run-tests.ts';

/** Runs a project's tests alongside the operator, one run at a time. */
export class TestRun {
  readonly #project: Project;
  readonly #context: Context;
  #isRunning = false;

  constructor(project: Project, context: Context) {
    this.#project = project;
    this.#context = context;
  }

  /** Starts a run unless one is in progress, and reports the result. */
  start(): void {
    const { reporter, environment } = this.#context;
    if (this.#isRunning) return;
    let command: readonly string[];
    try {
      command = testCommand(this.#project, environment);
    } catch (error) {
      reporter.failure(failureOf(error, { debug: false }).message);
      return;
    }
    this.#isRunning = true;
    const child = environment.spawn(command, {
      cwd: this.#project.root,
      env: environment.env,
      onOutput: (text) => reporter.text(text),
    });
    const stop = (): void => child.kill('SIGTERM');
    environment.signal.addEventListener('abort', stop, { once: true });
    void child.ended.then((exitCode) => {
      this.#isRunning = false;
      environment.signal.removeEventListener('abort', stop);
      reporter.step(exitCode === 0 ? 'tests passed' : 'tests failed', '', exitCode === 0 ? 'good' : 'bad');
    });
  }
}
