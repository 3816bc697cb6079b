/**
 * Thrown for durations that cannot keep two leaders apart, for a Lease that cannot be created, and instead of a write when
 * the term that it belongs to is over.
 */
export class LeaderElectionError extends Error {
  /** Names the class of failure; a write refused with it belongs to a term that is over. */
  readonly code = 'KW3008';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LeaderElectionError';
  }
}
