/** Thrown when a server cannot listen on an address. */
export class BindError extends Error {
  /** Retry only once the address is free. */
  readonly code = 'KW3006';

  constructor(what: string, options: { readonly address: string; readonly cause: unknown }) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(`cannot serve ${what} on ${options.address}: ${reason}; choose another address, or '0' for none`, {
      cause: options.cause,
    });
    this.name = 'BindError';
  }
}
