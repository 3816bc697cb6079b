/** Thrown for durations that cannot keep two leaders apart, and in place of a write when the term it belongs to is over. */
export class LeaderElectionError extends Error {
  /** Names the class of failure; a write refused with it belongs to a term that is over. */
  readonly code = 'KW3008';

  constructor(message: string) {
    super(message);
    this.name = 'LeaderElectionError';
  }
}
