import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from 'node:http2';
import type { TransportRequest, TransportResponse } from '../transport.ts';
import type { TransportError } from '../transport-error.ts';
import type { H2Session } from './h2-session.ts';
import type { HttpContext } from './http-options.ts';
import { StreamBody } from './stream-body.ts';

/** Sends one request on a session; resolves with the head of the answer. */
export function h2Request(
  session: H2Session,
  options: {
    readonly context: HttpContext;
    readonly request: TransportRequest;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<TransportResponse> {
  const { context, request } = options;
  const what = `${request.method} ${request.path.split('?', 1)[0]}`;
  const stream = session.open(
    {
      ':method': request.method,
      ':path': options.path,
      ':scheme': context.server.protocol.slice(0, -1),
      ':authority': context.server.host,
      ...options.headers,
      ...(request.body ? { 'content-length': request.body.byteLength } : {}),
    },
    { endStream: !request.body },
  );
  let cause: unknown;
  stream.on('error', (error) => {
    // Told by the close event, which follows; without a listener it would end the process.
    cause ??= error;
  });
  stream.once('close', () => session.release());
  if (request.body) stream.end(request.body);
  const fault = (): TransportError => session.streamError(stream, { what, cause });
  return new Promise((resolve, reject) => {
    const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
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
          // A whole body ends with END_STREAM; anything else closes the stream without an end, or with a reset.
          fault: (event) => (event === 'end' && !session.failed && isWhole(stream) ? undefined : fault()),
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

function isWhole(stream: ClientHttp2Stream): boolean {
  return !stream.aborted && stream.rstCode === constants.NGHTTP2_NO_ERROR;
}

function plainHeaders(raw: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(raw)) {
    if (value === undefined || name.startsWith(':')) continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : String(value);
  }
  return headers;
}
