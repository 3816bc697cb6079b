/** Thrown if a command cannot do what it was asked to. The message is printed without a stack. */
export class PluginError extends Error {
  override readonly name = 'PluginError';
  /** 2 for an invalid command line. */
  readonly exitCode: 1 | 2;

  constructor(message: string, { exitCode = 1, cause }: { readonly exitCode?: 1 | 2; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}
