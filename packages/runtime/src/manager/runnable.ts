/** Something that a manager starts and stops along with its controllers. */
export interface Runnable {
  readonly name: string;
  /** Runs until `signal` is aborted. A rejection before that stops the manager. */
  run(signal: AbortSignal): Promise<void>;
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
