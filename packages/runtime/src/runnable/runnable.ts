import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';

/** The parts of a manager that a runnable receives when it runs. */
export interface RunnableContext {
  /**
   * The manager's client. For a runnable that runs only on the leader, the client is bound to the term in which the
   * runnable was started. Once another replica may lead, writes are rejected with `LeaderElectionError` (KW3008), even
   * if the runnable ignores its signal, and even if this replica leads again. For other runnables, the client writes on
   * every replica.
   */
  readonly client: KubernetesClient;
  /** The manager's log, named after the runnable. */
  readonly log: Logger;
}

/**
 * A task that a manager starts and stops along with its controllers.
 *
 * @example
 * ```ts
 * const sweeper: Runnable = {
 *   name: 'sweeper',
 *   async run(signal, { client, log }) {
 *     while (!signal.aborted) log.info('swept', { removed: await sweep(client.resource(Backup), { signal }) });
 *   },
 * };
 * ```
 */
export interface Runnable {
  readonly name: string;
  /**
   * Runs until `signal` is aborted: by the manager's stop or, for leader-only runnables, by the loss of the term. A
   * rejection before the abort stops the manager.
   */
  run(signal: AbortSignal, context: RunnableContext): Promise<void>;
  /**
   * Waits until the runnable is ready (for a server: until it listens). All parts that start later wait too.
   * @defaultValue ready immediately
   */
  ready?(signal: AbortSignal): Promise<void>;
  /**
   * True if the runnable starts before the caches and stops after them. Use it for parts that an initial list needs,
   * such as this program's own conversion webhook, or an installer of the cached kinds. The runnable runs whether or
   * not the process leads.
   * @defaultValue false: the runnable starts once caches are synced
   */
  readonly beforeCaches?: boolean;
  /** True if the runnable runs only on the leader when leader election is on. @defaultValue true */
  readonly needLeaderElection?: boolean;
}
