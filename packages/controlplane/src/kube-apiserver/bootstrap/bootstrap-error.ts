/** A bootstrap object could not be created. The server cannot run without it. */
export class BootstrapError extends Error {
  readonly code = 'KW5401';

  constructor(message: string) {
    super(message);
    this.name = 'BootstrapError';
  }
}
