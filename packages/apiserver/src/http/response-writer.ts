import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Clock } from '@kubewright/apimachinery';
import { nextTurn } from '../next-turn.ts';
import type { ApiResponse } from './api-request.ts';

/** The destination of a response: an HTTP/2 stream, an HTTP/1.1 response, or a bare socket. */
export interface ResponseSink {
  readonly stream: Writable;
  /** Sends status and headers. */
  head(status: number, headers: Readonly<Record<string, string | readonly string[]>>): void;
  /** Aborts the response, so that the client sees that it is incomplete. */
  abort(): void;
}

const compress = promisify(gzip);

/** Writes a response. Resolves when the last byte has been written or the client has disconnected. */
export async function writeResponse(
  response: ApiResponse,
  options: {
    readonly sink: ResponseSink;
    readonly acceptEncoding: string | undefined;
    readonly gzipThresholdBytes: number;
    /** Ends a streamed body early, but cleanly. */
    readonly signal: () => AbortSignal;
    readonly clock: Clock;
    /**
     * Time for which a client may leave the sent part of a streamed body unread before the response is aborted. Absent: no limit.
     */
    readonly stallMs: number | undefined;
  },
): Promise<void> {
  const { sink, acceptEncoding, gzipThresholdBytes } = options;
  if (!(response.body instanceof Uint8Array)) {
    await writeStream(response, response.body, options);
    return;
  }
  let { body, headers } = response as ApiResponse & { readonly body: Uint8Array };
  if (body.length > gzipThresholdBytes && acceptsGzip(acceptEncoding) && !headers['content-encoding']) {
    body = await compress(body, { level: 1 });
    headers = { ...headers, 'content-encoding': 'gzip', vary: addToVary(headers['vary'], 'Accept-Encoding') };
  }
  if (sink.stream.destroyed) return;
  sink.head(response.status, { ...headers, 'content-length': `${body.length}` });
  sink.stream.end(body);
}

async function writeStream(
  response: ApiResponse,
  body: AsyncIterable<Uint8Array>,
  options: {
    readonly sink: ResponseSink;
    readonly signal: () => AbortSignal;
    readonly clock: Clock;
    readonly stallMs: number | undefined;
  },
): Promise<void> {
  const { sink, clock, stallMs } = options;
  const { stream } = sink;
  const signal = options.signal();
  const iterator = body[Symbol.asyncIterator]();
  const stop = (): void => void Promise.resolve(iterator.return?.()).catch(() => sink.abort());
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    sink.head(response.status, response.headers);
    for (let next = await iterator.next(); !next.done && !stream.destroyed; next = await iterator.next()) {
      if (!stream.write(next.value)) {
        const deadline =
          stallMs === undefined ? undefined : clock.setTimer(stallMs, () => sink.abort(), { unref: true });
        await drained(stream);
        deadline?.[Symbol.dispose]();
      }
      // Yield, so that all changes stored in this turn are sent as one chunk, not as one small write each.
      await nextTurn();
    }
    stream.end();
  } catch (error) {
    sink.abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    await iterator.return?.();
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writableNeedDrain) {
      resolve();
      return;
    }
    const done = (): void => {
      stream.removeListener('drain', done);
      stream.removeListener('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}

function acceptsGzip(header: string | undefined): boolean {
  return header !== undefined && /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?(?:\s|,|$)))/.test(header);
}

function addToVary(vary: string | readonly string[] | undefined, name: string): string {
  return vary === undefined ? name : `${[vary].flat().join(', ')}, ${name}`;
}
