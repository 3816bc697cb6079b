/** Thrown if a test cluster is unavailable. The message says what was requested, why it failed and what to do. */
export class TestEnvironmentError extends Error {
  readonly code = 'KW5503';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'TestEnvironmentError';
  }
}
