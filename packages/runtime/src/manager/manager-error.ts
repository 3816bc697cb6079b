/** Thrown when a manager cannot be made or run as it was told. */
export class ManagerError extends Error {
  readonly code = 'KW3007';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'ManagerError';
  }
}
