/** Thrown when declared webhooks cannot be served, or a webhook uses a part that was not provided. */
export class WebhookError extends Error {
  /** Identifies the class of failure; the program must be changed. */
  readonly code = 'KW3031';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'WebhookError';
  }
}
