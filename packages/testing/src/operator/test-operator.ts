import { systemClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { Manager, type ManagerOptions, prettyLogger } from '@kubewright/runtime';
import { Faults } from '../faults/faults.ts';
import { type RunningLog, runningLogs } from './running-logs.ts';

/** Options for {@link TestOperator.start}: the options of a manager that a test may set. */
export type TestOperatorOptions = Omit<
  ManagerOptions,
  'client' | 'kubeconfig' | 'context' | 'log' | 'handleSignals' | 'signal'
>;

/**
 * An operator that runs in the test: its manager, its log, and faults in its API calls. While it runs, the errors of `eventually`
 * and `consistently` show its last log lines.
 *
 * @example
 * ```ts
 * await using environment = await TestEnvironment.start();
 * await using operator = await TestOperator.start(environment.client, { controllers: [websites] });
 * operator.faults.conflict({ kind: 'Website', subresource: 'status' });
 * console.log(operator.log.join('\n'));
 * ```
 */
export class TestOperator implements AsyncDisposable {
  /** Faults in the operator's API calls. The test's own calls are not affected. */
  readonly faults: Faults;
  readonly manager: Manager;
  readonly #log: RunningLog;
  #failure: { readonly error: unknown } | undefined;

  private constructor(manager: Manager, { faults, log }: { readonly faults: Faults; readonly log: RunningLog }) {
    this.manager = manager;
    this.faults = faults;
    this.#log = log;
  }

  /**
   * Starts the controllers. Resolves once their caches are filled.
   *
   * @param client - the client to use, such as a test environment's; not disposed. To run as another user, pass `client.with({
   * impersonate })`.
   * @throws the error of the manager if it cannot start
   */
  static async start(client: KubernetesClient, options: TestOperatorOptions): Promise<TestOperator> {
    const { clock = systemClock } = options;
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line.trimEnd());
    const faults = new Faults({ clock });
    const manager = new Manager({
      ...options,
      client: client.intercepted(faults.interceptor),
      log: prettyLogger({ destination: { write }, now: () => clock.now() }),
      handleSignals: false,
    });
    const operator = new TestOperator(manager, { faults, log: { lines } });
    await operator.#start();
    return operator;
  }

  /** The log so far, one line per record. */
  get log(): readonly string[] {
    return this.#log.lines;
  }

  /** Stops the operator. @throws the error that ended the operator earlier, if any */
  async [Symbol.asyncDispose](): Promise<void> {
    runningLogs.delete(this.#log);
    await this.manager[Symbol.asyncDispose]();
    if (this.#failure) throw this.#failure.error;
  }

  async #start(): Promise<void> {
    runningLogs.add(this.#log);
    const running = this.manager.run().catch((error: unknown) => {
      this.#failure = { error };
    });
    try {
      await this.manager.started();
    } catch (error) {
      runningLogs.delete(this.#log);
      await running;
      throw error;
    }
  }
}
