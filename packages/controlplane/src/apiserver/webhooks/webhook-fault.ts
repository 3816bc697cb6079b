import { internalError, StatusError } from '@kubewright/apimachinery';

/** A 500 that is a webhook's fault: the caller of the API is told, nobody looks for it in the server. */
export class WebhookFault extends StatusError {}

/** `Internal error occurred: <message>`, as upstream answers when a webhook fails. */
export function webhookFault(message: string, cause?: unknown): WebhookFault {
  return new WebhookFault(internalError(message).status, { cause });
}

/** The same where upstream gives neither reason nor details: an object that cannot be converted. */
export function conversionFault(message: string, cause?: unknown): WebhookFault {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 } as const;
  return new WebhookFault(status, { cause });
}
