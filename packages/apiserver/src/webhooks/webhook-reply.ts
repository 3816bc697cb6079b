import { Buffer } from 'node:buffer';
import { BodyReadError, parseJson } from '@kubewright/schema';
import { WebhookCallError } from './webhook-call-error.ts';
import type { WebhookResponse } from './webhook-caller.ts';

/** The JSON object in a webhook's response. */
export type WebhookReply = Readonly<Record<string, unknown>>;

const maxMessageBytes = 2048;

/** client-go's messages for error responses without a Status (`NewGenericServerResponse`, 1.36). */
const messages: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/**
 * Parses a response as JSON.
 *
 * @throws WebhookCallError if the response is an error or not a JSON object
 */
export function replyOf(response: WebhookResponse): WebhookReply {
  const { status, contentType, body } = response;
  if (status < 200 || status > 206) throw failureOf(response);
  if (body.length === 0) {
    throw new WebhookCallError(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  let value: unknown;
  try {
    value = parseJson(body).value;
  } catch (cause) {
    if (!(cause instanceof BodyReadError)) throw cause;
    throw notAnObject(isPlainText(body) ? 'string' : undefined, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw notAnObject(Array.isArray(value) ? 'array' : typeof value);
  }
  return value as WebhookReply;
}

/** Reports whether the body is plain text, which upstream reports as a string because it also tries YAML. */
function isPlainText(body: Uint8Array): boolean {
  return /^[\p{L}\p{N} .!?-]+$/u.test(Buffer.from(body).toString('utf8').trim());
}

function notAnObject(what: string | undefined, cause?: BodyReadError): WebhookCallError {
  const target =
    'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const detail = what === undefined ? (cause?.message ?? '') : `json: cannot unmarshal ${what} into ${target}`;
  return new WebhookCallError(`couldn't get version/kind; json parse error: ${detail}`, { cause });
}

function failureOf({ status, contentType, body }: WebhookResponse): WebhookCallError {
  const given = statusIn(body);
  if (given !== undefined) return new WebhookCallError(given.message, { httpStatus: given.code ?? status });
  const isText = contentType === '' || contentType.startsWith('text/');
  const said = isText ? Buffer.from(body.subarray(0, maxMessageBytes)).toString('utf8').trim() : 'unknown';
  return new WebhookCallError(messageOf(status, said), { httpStatus: status });
}

function messageOf(status: number, said: string): string {
  // Upstream includes the server's message in these errors.
  if (status === 403) return said === '' ? 'the server does not allow access to the requested resource' : said;
  if (status === 406 || status === 415) {
    if (said !== 'unknown' && said !== '') return said;
    return status === 406
      ? 'the server was unable to respond with a content type that the client supports'
      : 'the server was unable to process the media type of the request';
  }
  const message = messages[status];
  if (message !== undefined) return message;
  if (status < 500) return `the server responded with the status code ${status} but did not return more information`;
  return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
}

/** Returns the error if the body is a Status. */
function statusIn(body: Uint8Array): { readonly message: string; readonly code?: number | undefined } | undefined {
  try {
    const { value } = parseJson(body);
    if (typeof value !== 'object' || value === null) return undefined;
    const { kind, apiVersion, status, message, code } = value as WebhookReply;
    if (kind !== 'Status' || apiVersion !== 'v1' || status === 'Success' || typeof message !== 'string')
      return undefined;
    return { message, code: typeof code === 'number' ? code : undefined };
  } catch (error) {
    if (error instanceof BodyReadError) return undefined; // not a Status
    throw error;
  }
}
