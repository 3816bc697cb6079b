/** Thrown when an address cannot be listened on. */
export class BindError extends Error {
  /** Names the class of failure; worth a retry only when the address becomes free. */
  readonly code = 'KW3006';

  constructor(what: string, options: { readonly address: string; readonly cause: unknown }) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`cannot serve ${what} on ${options.address}: ${reason}; choose another address, or '0' for none`, {
      cause: options.cause,
    });
    this.name = 'BindError';
  }
}
