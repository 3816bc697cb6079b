/** Thrown when a manager cannot be created or run as configured. */
export class ManagerError extends Error {
  /** Identifies the class of failure; fix the program, or the problem described in `cause`. */
  readonly code = 'KW3007';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ManagerError';
  }
}
