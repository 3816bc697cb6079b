import { type Status, StatusError, type StatusReason } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ClientCall } from '../interceptor.ts';
import type { TransportResponse } from '../transport/transport.ts';
import { readBytesUpTo } from './response-body.ts';

/** A Status is small. Anything longer is a proxy's error page, and its beginning is enough. */
const maxStatusBytes = 3 << 20;
const quotedCharacters = 512;

/**
 * Reconstructs the error in the server's response. A body that is not a `Status` (a proxy's error page, plain text) becomes a
 * `Status` that matches the HTTP code, as in client-go's `NewGenericServerResponse`.
 */
export async function failedResponse(call: ClientCall, response: TransportResponse): Promise<StatusError> {
  const bytes = await readBytesUpTo(response.body, maxStatusBytes);
  const text = bytes.toString('utf8');
  const parsed = parseStatus(text);
  const retryAfterSeconds = integerHeader(response.headers['retry-after']);
  if (!parsed) return new StatusError(genericStatus({ call, code: response.status, text, retryAfterSeconds }));
  const details =
    retryAfterSeconds !== undefined && parsed.details?.retryAfterSeconds === undefined
      ? { details: { ...parsed.details, retryAfterSeconds } }
      : {};
  return new StatusError({ ...parsed, code: parsed.code || response.status, ...details });
}

/** True if the value is a `Status`. */
export function isStatus(value: unknown): value is Status {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'Status';
}

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    // Not JSON: the response did not come from the API server, and the generic status quotes it.
    return undefined;
  }
}

function integerHeader(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value.trim()) ? Number(value) : undefined;
}

function genericStatus(options: {
  readonly call: ClientCall;
  readonly code: number;
  readonly text: string;
  readonly retryAfterSeconds: number | undefined;
}): Status {
  const { call, code, text, retryAfterSeconds } = options;
  const { target, request } = call;
  const path = request.path.split('?', 1)[0];
  const quoted = text.trim().slice(0, quotedCharacters);
  const details = {
    ...defined({ name: target?.name, retryAfterSeconds }),
    ...(target ? { group: target.group, kind: target.resource } : {}),
    ...(quoted === '' ? {} : { causes: [{ reason: 'UnexpectedServerResponse', message: quoted }] }),
  };
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${request.method} ${path}: the server responded with status ${code}${quoted === '' ? '' : `: ${quoted}`}`,
    reason: reasonOf(code, request.method),
    details,
    code,
  };
}

const reasons: Readonly<Record<number, StatusReason>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function reasonOf(code: number, method: string): StatusReason {
  if (code === 409) return method === 'POST' ? 'AlreadyExists' : 'Conflict';
  return reasons[code] ?? '';
}
