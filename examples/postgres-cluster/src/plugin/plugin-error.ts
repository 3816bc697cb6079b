/** Thrown if a command fails. The message is printed without a stack. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  /** 2 for an invalid command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}
