import { KubewrightError, StatusError } from '@kubewright/apimachinery';

/**
 * Thrown when a webhook is unreachable, times out or returns an invalid response. The webhook's failure policy decides whether
 * the request fails.
 */
export class WebhookFailure extends KubewrightError {
  override readonly name = 'WebhookFailure';
  readonly code = 'KW5702';
  /** For metrics. */
  readonly httpStatus: number;

  constructor(webhook: string, reason: string, options: { readonly httpStatus: number; readonly cause?: unknown }) {
    super({ what: `failed calling webhook ${JSON.stringify(webhook)}`, why: reason }, { cause: options.cause });
    this.httpStatus = options.httpStatus;
  }
}

/** A webhook's denial of a request. */
export class WebhookRejection extends StatusError {}

interface ResponseStatus {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly code?: unknown;
  readonly details?: unknown;
  readonly metadata?: unknown;
}

/** Node's HTTP/2 server rejects higher status codes. */
const maxCode = 599;

/**
 * Builds the error for a webhook's denial, with upstream's message (`ToStatusErr`, 1.36). The code is never a success
 * code.
 */
export function rejection(webhook: string, given: Readonly<Record<string, unknown>> | undefined): WebhookRejection {
  const { status, message, reason, code, details, metadata }: ResponseStatus = given ?? {};
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const explanation = text(message) || text(reason);
  const requested = typeof code === 'number' && Number.isInteger(code) ? code : 0;
  return new WebhookRejection({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isObject(metadata) ? metadata : {},
    status: text(status) === '' || status === 'Success' ? 'Failure' : text(status),
    message: explanation === '' ? `${by} without explanation` : `${by}: ${explanation}`,
    ...(text(reason) !== '' && { reason: text(reason) }),
    ...(isObject(details) && { details }),
    code: requested < 400 ? 400 : requested > maxCode ? 500 : requested,
  } as StatusError['status']);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
