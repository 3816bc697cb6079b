/** Thrown when webhooks are declared so that they cannot be served, or use what they were not given. */
export class WebhookError extends Error {
  /** Names the class of failure; the program must be changed. */
  readonly code = 'KW3031';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'WebhookError';
  }
}
