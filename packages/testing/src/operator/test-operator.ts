import { systemClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { Manager, type ManagerOptions, prettyLogger } from '@kubewright/runtime';
import { Faults } from '../faults/faults.ts';
import { consistently } from '../wait/consistently.ts';
import { eventually } from '../wait/eventually.ts';
import { RunningManager } from './running-manager.ts';

/**
 * An operator that runs in the test: its manager, its log, faults in its API calls, and waits whose errors show its log.
 *
 * @example
 * ```ts
 * await using environment = await TestEnvironment.start();
 * await using operator = await TestOperator.start(environment.client, { controllers: [websites] });
 * operator.faults.conflict({ kind: 'Website', subresource: 'status' });
 * await operator.eventually(() => environment.client.resource(Website).get(key), toHaveCondition('Ready'));
 * console.log(operator.log.join('\n'));
 * ```
 */
export class TestOperator implements AsyncDisposable {
  /** Faults in the operator's API calls. The test's own calls are not affected. */
  readonly faults: Faults;
  readonly manager: Manager;
  /** The log so far, one line per record. */
  readonly log: readonly string[];
  readonly #running: RunningManager;

  /** Like {@link eventually}; the error of a timeout ends with the last lines of this operator's log. */
  readonly eventually: typeof eventually = (read, matcher, options) =>
    eventually(read, matcher, { log: this.log, ...options });

  /** Like {@link consistently}; the error ends with the last lines of this operator's log. */
  readonly consistently: typeof consistently = (read, matcher, options) =>
    consistently(read, matcher, { log: this.log, ...options });

  private constructor(running: RunningManager, parts: Pick<TestOperator, 'manager' | 'faults' | 'log'>) {
    this.#running = running;
    this.manager = parts.manager;
    this.faults = parts.faults;
    this.log = parts.log;
  }

  /**
   * Starts the controllers. Resolves once their caches are filled.
   *
   * @param client - the client to use, such as a test environment's; not disposed. To run as another user, pass `client.with({
   * impersonate })`.
   * @param options - the manager options that a test can set, such as `controllers` and `webhooks`.
   * @throws the error of the manager if it cannot start
   */
  static async start(
    client: KubernetesClient,
    options: Omit<ManagerOptions, 'client' | 'kubeconfig' | 'context' | 'log' | 'handleSignals' | 'signal'>,
  ): Promise<TestOperator> {
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
    return new TestOperator(await RunningManager.start(manager), { manager, faults, log: lines });
  }

  /** Stops the operator. @throws the error that ended the operator earlier, if any */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
  }
}
