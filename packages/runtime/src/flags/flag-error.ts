/** Thrown for an invalid command line; the message ends with the list of known flags. */
export class FlagError extends Error {
  /** Fix the command line. */
  readonly code = 'KW3032';

  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}
