import { conflict, type Status, type StatusReason } from '@kubewright/apimachinery';
import type { ClientCall, TransportResponse } from '@kubewright/client';

/** The reason and the message that the API server returns with a status code. */
const texts: Readonly<Record<number, readonly [StatusReason, string]>> = {
  400: ['BadRequest', 'an injected fault rejected the request'],
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden by an injected fault'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'an injected fault caused a conflict'],
  410: ['Expired', 'The resourceVersion for the provided watch is too old.'],
  422: ['Invalid', 'invalid because of an injected fault'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred: an injected fault'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within requested timeout - context deadline exceeded'],
};

/** Creates the response of an API server that fails with a status code. */
export function failureResponse(code: number): TransportResponse {
  const [reason, message] = texts[code] ?? ['', `status ${code} because of an injected fault`];
  return responseOf({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  } as Status);
}

/** Creates the response to a write that is based on an old version of the object. */
export function conflictResponse({ target }: ClientCall): TransportResponse {
  const { group = '', resource = 'objects', name = '' } = target ?? {};
  const cause = 'the object has been modified; please apply your changes to the latest version and try again';
  return responseOf(conflict({ group, resource }, name, cause).status);
}

function responseOf(status: Status): TransportResponse {
  const bytes = Buffer.from(JSON.stringify(status));
  return { status: status.code, headers: { 'content-type': 'application/json' }, body: once(bytes) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
