import { type KubernetesObject, type Status, StatusError } from '@kubewright/apimachinery';
import { parseExactJson } from '@kubewright/apimachinery/internal';
import { isStatus } from '../call/failed-response.ts';
import { TransportError } from '../transport/transport-error.ts';
import { LineSplitter } from './line-splitter.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Reads the events from a watch's byte stream, parsing each line once. Ends with the stream; throws if the stream ends
 * inside a line, because an event may be lost.
 * @throws TransportError `KW2006` for a line that is not an event, `KW2005` for a line longer than the limit.
 */
export async function* readWatch<T extends object>(
  body: AsyncIterable<Uint8Array>,
  options: { readonly what: string; readonly maxLineBytes?: number | undefined },
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const events: WatchEvent<T>[] = [];
  const splitter = new LineSplitter({
    onLine: (bytes, start, end) => events.push(decodeWatchEvent<T>(bytes.toString('utf8', start, end), options.what)),
    tooLong: (maxLineBytes) =>
      new TransportError(
        'KW2005',
        { what: `${options.what} failed`, why: `an event is longer than ${maxLineBytes} bytes` },
        { sent: true },
      ),
    maxLineBytes: options.maxLineBytes,
  });
  for await (const chunk of body) {
    let fault: { readonly error: unknown } | undefined;
    try {
      splitter.push(chunk);
    } catch (error) {
      fault = { error };
    }
    // Deliver the complete events that arrived before a fault, so that the reader's position includes them.
    for (const event of events) yield event;
    events.length = 0;
    if (fault) throw fault.error;
  }
  if (splitter.pendingBytes > 0) {
    throw new TransportError(
      'KW2006',
      { what: `${options.what} failed`, why: 'the watch ended in the middle of an event' },
      {
        retryable: true,
      },
    );
  }
}

/** Decodes one line of a watch. */
function decodeWatchEvent<T extends object>(line: string, what: string): WatchEvent<T> {
  let value: unknown;
  try {
    value = parseExactJson(line);
  } catch (cause) {
    throw malformed(what, cause);
  }
  if (typeof value !== 'object' || value === null) throw malformed(what);
  const { type, object } = value as { readonly type?: unknown; readonly object?: unknown };
  if (typeof object !== 'object' || object === null) throw malformed(what);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      // The cast is safe: the server has validated the object against its kind.
      return { type, object: object as T };
    case 'BOOKMARK':
      return { type, object: object as KubernetesObject };
    case 'ERROR':
      return errorEvent(object, what);
    default:
      throw malformed(what);
  }
}

function errorEvent(object: object, what: string): WatchEvent<never> {
  const status: Status = isStatus(object)
    ? object
    : {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `${what}: the server ended the watch with an error that is not a Status`,
        reason: 'InternalError',
        code: 500,
      };
  return { type: 'ERROR', object: status, error: new StatusError(status) };
}

function malformed(what: string, cause?: unknown): TransportError {
  return new TransportError(
    'KW2006',
    { what: `${what} failed`, why: 'the server sent a line that is not a watch event' },
    {
      retryable: true,
      cause,
    },
  );
}
