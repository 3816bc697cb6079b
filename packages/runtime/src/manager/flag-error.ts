/** Thrown for flags that cannot be used, and for `--help`, whose text is then the message. */
export class FlagError extends Error {
  /** Names the class of failure: the command line must be changed. */
  readonly code = 'KW3018';
  /** True when help was asked for, rather than something wrong. */
  readonly isHelp: boolean;

  constructor(message: string, options: { readonly isHelp?: boolean } = {}) {
    super(message);
    this.name = 'FlagError';
    this.isHelp = options.isHelp ?? false;
  }
}
