import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import { TransportError } from '../transport-error.ts';
import type { H2Session } from './h2-session.ts';
import type { HttpContext, OutgoingHeaders } from './http-options.ts';
import { StreamBody } from './stream-body.ts';

/** Sends one request on a session; resolves with the head of the response. */
export function h2Request(
  session: H2Session,
  options: {
    readonly context: HttpContext;
    readonly request: TransportRequest;
    readonly path: string;
    readonly headers: OutgoingHeaders;
  },
): Promise<TransportResponse> {
  const { context, request } = options;
  const what = `${request.method} ${request.path.split('?', 1)[0]}`;
  try {
    request.gate?.();
  } catch (rejected) {
    session.release();
    return Promise.reject(rejected);
  }
  let stream: ClientHttp2Stream;
  const head = {
    ':method': request.method,
    ':path': options.path,
    ':scheme': context.server.protocol.slice(0, -1),
    ':authority': context.server.host,
    ...options.headers,
    ...(request.body ? { 'content-length': request.body.byteLength } : {}),
  };
  try {
    stream = session.open(head, { endStream: !request.body });
  } catch (cause) {
    session.release();
    return Promise.reject(openError(cause, what));
  }
  const ended = watchEndOfStream(stream);
  let cause: unknown;
  stream.on('error', (error) => {
    // The close event that follows handles the error. Without this listener, the error would crash the process.
    cause ??= error;
  });
  stream.once('close', () => session.release());
  if (request.body) stream.end(request.body);
  const fault = (): TransportError => session.streamError(stream, { what, cause });
  return new Promise((resolve, reject) => {
    const cancel = (): void => session.cancel(stream);
    const onAbort = (): void => {
      cancel();
      finish(() => reject(request.signal?.reason));
    };
    const onClose = (): void => finish(() => reject(fault()));
    const onResponse = (raw: IncomingHttpHeaders): void =>
      finish(() => {
        const headers = plainHeaders(raw);
        const body = new StreamBody(stream, {
          what,
          gzip: headers['content-encoding'] === 'gzip',
          limit: request.longRunning ? undefined : context.tuning.maxResponseBytes,
          signal: request.signal,
          cancel,
          finished: () => {},
          // A complete body ends with END_STREAM. A truncated body's stream closes without an end, or with a reset.
          fault: (event) => (event === 'end' && !session.failed && ended() ? undefined : fault()),
        });
        resolve({ status: Number(raw[':status']), headers, body });
      });
    const finish = (settle: () => void): void => {
      stream.off('response', onResponse);
      stream.off('close', onClose);
      request.signal?.removeEventListener('abort', onAbort);
      settle();
    };
    stream.once('response', onResponse);
    stream.once('close', onClose);
    request.signal?.addEventListener('abort', onAbort, { once: true });
    if (request.signal?.aborted) onAbort();
  });
}

/**
 * Returns a function that reports whether the server has ended the body. Node also ends the readable side when a stream
 * is reset without an error, for example by a server that shuts down. The two cases can be distinguished only at the
 * moment the stream ends.
 */
function watchEndOfStream(stream: ClientHttp2Stream): () => boolean {
  let whole = false;
  const push = stream.push.bind(stream);
  stream.push = (chunk, encoding) => {
    if (chunk === null && !stream.closed) whole = true;
    return push(chunk, encoding);
  };
  return () => whole;
}

/**
 * Returns the error for a stream that could not be opened: either the session has ended, or HTTP/2 cannot encode the
 * request.
 */
function openError(cause: unknown, what: string): TransportError {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  const gone = typeof code === 'string' && /SESSION|OUT_OF_STREAMS/.test(code);
  return gone
    ? new TransportError(
        'KW2004',
        { what: `${what} failed`, why: 'the connection was closed before the request was sent' },
        {
          retryable: true,
          sent: false,
          cause,
        },
      )
    : new TransportError(
        'KW2007',
        {
          what: `${what} failed`,
          why: 'the request is not valid HTTP',
          remedy: 'check the path and the headers of the request',
        },
        {
          sent: false,
          cause,
        },
      );
}

function plainHeaders(raw: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined || name.startsWith(':')) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return headers;
}
