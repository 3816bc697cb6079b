/** A cluster for tests cannot be had: what was asked for, why not, what to do. */
export class TestEnvironmentError extends Error {
  readonly code = 'KW5503';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'TestEnvironmentError';
  }
}
