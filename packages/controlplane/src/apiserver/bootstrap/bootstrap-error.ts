/** A bootstrap object could not be made; the server is of no use without it. */
export class BootstrapError extends Error {
  readonly code = 'KW5401';

  constructor(message: string) {
    super(message);
    this.name = 'BootstrapError';
  }
}
