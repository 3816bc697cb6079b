import { KubewrightError } from '@kubewright/apimachinery';

/**
 * Thrown when declared webhooks cannot be served, or a webhook uses a part, such as the client, that was not provided.
 */
export class WebhookError extends KubewrightError {
  override readonly name = 'WebhookError';
  /** Identifies the failure; change the program. */
  readonly code = 'KW3031';
}
