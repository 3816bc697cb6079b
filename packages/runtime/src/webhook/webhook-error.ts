import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown when declared webhooks cannot be served, or a webhook uses a part that was not provided. */
export class WebhookError extends KubewrightError {
  override readonly name = 'WebhookError';
  /** Identifies the class of failure; the program must be changed. */
  readonly code = 'KW3031';
}
