/** Something that a manager starts and stops along with its controllers. */
export interface Runnable {
  readonly name: string;
  /** Runs until `signal` is aborted. A rejection before that stops the manager. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether it runs on the leader only, when leader election is on. @defaultValue true */
  readonly needLeaderElection?: boolean;
}
