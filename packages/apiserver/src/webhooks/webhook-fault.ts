import { StatusError } from '@kubewright/apimachinery';
import { internalError } from '../http/failures.ts';

/** A 500 caused by a webhook or an admission policy: it is reported to the API client, and not logged as an internal error. */
export class WebhookFault extends StatusError {}

/** Builds the error `Internal error occurred: <message>`, which upstream returns if a webhook fails. */
export function webhookFault(message: string, cause?: unknown): WebhookFault {
  return new WebhookFault(internalError(message).status, { cause });
}

/** Builds a 500 with only a message, which upstream returns if an object cannot be converted. */
export function conversionFault(message: string, cause?: unknown): WebhookFault {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 } as const;
  return new WebhookFault(status, { cause });
}
