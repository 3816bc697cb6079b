import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown if the durations cannot keep two leaders apart, if the Lease cannot be created, and instead of a write whose term is
 * over.
 */
export class LeaderElectionError extends KubewrightError {
  override readonly name = 'LeaderElectionError';
  /** Identifies the class of failure; a write rejected with it belongs to a term that is over. */
  readonly code = 'KW3008';
}
