import type { KubernetesClient } from '@kubewright/client';

/** What a runnable is given to work with. */
export interface RunnableContext {
  /**
   * The manager's client. Of a runnable that runs on the leader only it is bound to the term that the runnable was started
   * in: once another may lead, writes are refused with `LeaderElectionError` (KW3008), whatever the runnable makes of its
   * signal. `manager.client` is bound to nothing.
   */
  readonly client: KubernetesClient;
}

/**
 * Something that a manager starts and stops along with its controllers.
 *
 * @example
 * ```ts
 * const sweeper: Runnable = {
 *   name: 'sweeper',
 *   async run(signal, { client }) {
 *     while (!signal.aborted) await sweep(client.resource(Backup), { signal });
 *   },
 * };
 * ```
 */
export interface Runnable {
  readonly name: string;
  /**
   * Runs until `signal` is aborted: by the manager's stop, or, on the leader only, by the loss of the term. A rejection
   * before that stops the manager.
   */
  run(signal: AbortSignal, context: RunnableContext): Promise<void>;
  /**
   * Waits until it does its work; what starts after it waits for that, too. For a server: until it listens.
   *
   * @defaultValue ready at once
   */
  ready?(signal: AbortSignal): Promise<void>;
  /**
   * Whether it starts before caches do, and stops after them: for what a first listing needs, such as this program's own
   * conversion webhook, or what installs the kinds that are cached. Runs whether or not the process leads.
   *
   * @defaultValue false: it starts once caches are synced
   */
  readonly beforeCaches?: boolean;
  /** Whether it runs on the leader only, when leader election is on. @defaultValue true */
  readonly needLeaderElection?: boolean;
}
