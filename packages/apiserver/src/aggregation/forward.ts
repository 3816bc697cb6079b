import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '@kubewright/apimachinery';
import { pageNotFound } from '../endpoints/page-not-found.ts';
import type { RequestContext } from '../endpoints/request-context.ts';
import type { ApiResponse } from '../http/api-request.ts';
import { isLongRunning } from '../http/long-running.ts';
import { readBody } from '../http/request-body.ts';
import { availableCondition, pathName, type RemoteApiService } from './api-service.ts';
import { type Backend, NoEndpointError } from './backend.ts';
import { BrokenResponseError } from './broken-response-error.ts';
import { encodePath, forwardedHeaders, responseHeaders } from './forwarded-headers.ts';
import { joinStreams } from './join-streams.ts';
import { StreamedBody } from './streamed-body.ts';

/** Timeout for the complete response of another server, except for watches and other streams, in milliseconds. */
const requestMs = 60_000;
/** Timeout for a discovery document, in milliseconds. Short, because every client waits for this document. */
const discoveryMs = 5_000;

/** The destination of a request. */
export interface ForwardTarget {
  readonly apiService: RemoteApiService;
  readonly backend: Backend;
  readonly clock: Clock;
}

/**
 * Forwards an authorized request and streams back the response. Mirrors the proxy handler of kube-aggregator (1.36), including
 * its plain-text errors.
 */
export async function forward(context: RequestContext, target: ForwardTarget): Promise<ApiResponse> {
  const { request, info } = context;
  if (availableCondition(target.apiService)?.status !== 'True') return unavailable;
  // A server that resolves these segments would serve a different path than the authorized path.
  if (info.path.split('/').some((segment) => segment === '.' || segment === '..')) return pageNotFound;
  const body = request.body === undefined ? undefined : await readBody(request.body);
  const query = info.query.toString();
  const limit = limitOf(context, target);
  const upgrade = request.upgrade && request.headers['upgrade'];
  try {
    const received = await target.backend.send({
      method: request.method,
      path: encodePath(info.path) + (query === '' ? '' : `?${query}`),
      headers: { ...forwardedHeaders(context), ...(upgrade && { connection: 'Upgrade', upgrade }) },
      body,
      signal: limit.signal,
    });
    if ('stream' in received) {
      limit.lift();
      return joinStreams(request, received);
    }
    received.once('close', limit.lift);
    return responseOf(received, context, target);
  } catch (error) {
    limit.lift();
    request.signal.throwIfAborted();
    if (error instanceof NoEndpointError) return unavailable;
    const why = limit.signal.aborted ? 'context deadline exceeded' : (error as Error).message;
    return plainText(503, `error trying to reach service: ${why}`);
  }
}

/** Returns a signal that aborts when the client disconnects or the request times out. `lift` removes the timeout. */
function limitOf(
  { request, info }: RequestContext,
  { apiService, clock }: ForwardTarget,
): { readonly signal: AbortSignal; lift(): void } {
  const over = new AbortController();
  const abort = (): void => over.abort();
  const isDiscovery = info.path.replace(/^\/|\/$/g, '') === pathName(apiService);
  const isStream = request.upgrade !== undefined || isLongRunning(request.method, request.path);
  const timer = isStream ? undefined : clock.setTimer(isDiscovery ? discoveryMs : requestMs, abort, { unref: true });
  if (request.signal.aborted) abort();
  else request.signal.addEventListener('abort', abort, { once: true });
  return {
    signal: over.signal,
    lift: () => {
      timer?.[Symbol.dispose]();
      request.signal.removeEventListener('abort', abort);
    },
  };
}

function responseOf(
  message: IncomingMessage,
  { request, info }: RequestContext,
  { apiService }: ForwardTarget,
): ApiResponse {
  const { statusCode: status = 502, headers, headersDistinct } = message;
  if (status >= 300 && status <= 399 && headers.location !== undefined) {
    message.destroy();
    return plainText(502, 'the backend attempted to redirect this request, which is not permitted');
  }
  const what = { method: request.method, path: info.path, apiService: apiService.metadata.name ?? '' };
  return {
    status,
    headers: { 'cache-control': 'no-cache, private', ...responseHeaders(headersDistinct) },
    body: new StreamedBody(message, (cause) => new BrokenResponseError(what, cause)),
  };
}

function plainText(status: number, text: string): ApiResponse {
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache, private',
      'x-content-type-options': 'nosniff',
    },
    body: Buffer.from(`${text}\n`),
  };
}

const unavailable = plainText(503, 'service unavailable');
