import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when a server cannot listen on an address. */
export class BindError extends KubewrightError {
  override readonly name = 'BindError';
  /** Retry only once the address is free. */
  readonly code = 'KW3006';

  constructor(server: string, options: { readonly address: string; readonly cause: unknown }) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause);
    super(
      {
        what: `cannot serve ${server} on ${options.address}`,
        why: reason,
        remedy: "choose another address, or '0' to disable this server",
      },
      options,
    );
  }
}
