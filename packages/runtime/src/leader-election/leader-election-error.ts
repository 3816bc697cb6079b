import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Leader election failed: the durations cannot keep two leaders apart, the Lease cannot be created, or the term of a write is over.
 */
export class LeaderElectionError extends KubewrightError {
  override readonly name = 'LeaderElectionError';
  /** Identifies the class of failure; a write rejected with it belongs to a term that is over. */
  readonly code = 'KW3008';
}
