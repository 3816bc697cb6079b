/** Thrown for a command line that cannot be understood; the message ends with the flags that can. */
export class FlagError extends Error {
  /** Names the class of failure; the command line must be changed. */
  readonly code = 'KW3032';

  constructor(message: string) {
    super(message);
    this.name = 'FlagError';
  }
}
