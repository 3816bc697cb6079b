import { KubewrightError } from '@kubewright/apimachinery';

/** Thrown if a webhook cannot be called or sends an invalid response. The message is upstream's (client-go 1.36). */
export class WebhookCallError extends KubewrightError {
  override readonly name = 'WebhookCallError';
  readonly code = 'KW5701';
  /** HTTP status code for the API client: the webhook's own if it responded with a Status. */
  readonly httpStatus: number;

  constructor(what: string, options: { readonly httpStatus?: number; readonly cause?: unknown } = {}) {
    super({ what }, { cause: options.cause });
    this.httpStatus = options.httpStatus ?? 503;
  }
}
