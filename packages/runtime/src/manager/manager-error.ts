/** Thrown when a manager cannot be made or run as it was told. */
export class ManagerError extends Error {
  /** Names the class of failure; the program must be changed, or `cause` says what to mend. */
  readonly code = 'KW3007';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ManagerError';
  }
}
