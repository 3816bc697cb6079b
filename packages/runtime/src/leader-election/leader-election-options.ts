/** Settings for leader election between replicas (coordination.k8s.io/v1 `Lease`, compatible with controller-runtime). */
export interface LeaderElectionOptions {
  /** Name of the Lease; must be the same for all replicas. */
  readonly id: string;
  /** @defaultValue the pod's namespace */
  readonly namespace?: string;
  /** Identity of this replica in the Lease. @defaultValue the host name, `_` and a UUID */
  readonly identity?: string;
  /** @defaultValue 15 */
  readonly leaseDurationSeconds?: number;
  /** @defaultValue 10 */
  readonly renewDeadlineSeconds?: number;
  /** @defaultValue 2 */
  readonly retryPeriodSeconds?: number;
  /** Releases the Lease when the manager stops. @defaultValue true */
  readonly releaseOnCancel?: boolean;
}
