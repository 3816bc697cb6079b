/**
 * Thrown if the durations cannot keep two leaders apart, if the Lease cannot be created, and instead of a write whose term is
 * over.
 */
export class LeaderElectionError extends Error {
  /** Identifies the class of failure; a write rejected with it belongs to a term that is over. */
  readonly code = 'KW3008';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LeaderElectionError';
  }
}
