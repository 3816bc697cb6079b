import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown when leader election fails: the durations cannot keep two leaders apart, the Lease cannot be created, or a write belongs
 * to a term that has ended.
 */
export class LeaderElectionError extends KubewrightError {
  override readonly name = 'LeaderElectionError';
  /** Identifies the failure; a write that fails with this code belongs to a term that has ended. */
  readonly code = 'KW3008';
}
