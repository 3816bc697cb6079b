import type { Duplex } from 'node:stream';

/**
 * Carries requests to one API server: the seam between the client and the network.
 *
 * {@link HttpTransport} speaks HTTP/2 and HTTP/1.1, {@link InProcessTransport} calls a server in the same process. A transport
 * knows nothing about Kubernetes objects: a response with any status resolves the promise; only a missing response
 * rejects it.
 */
export interface Transport extends AsyncDisposable {
  /**
   * Sends one request and resolves when the head of the response has arrived.
   *
   * Any number of calls may be in flight. Aborting `request.signal` resets the stream, even while the body is being read.
   * @throws TransportError if there was no response; its `sent` and `retryable` show whether a retry is possible.
   * @throws the signal's reason if the request was aborted.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
}

/**
 * A request to send, complete with path, headers and body.
 *
 * @example
 * ```ts
 * const request: TransportRequest = { method: 'GET', path: '/api/v1/pods?limit=500', headers: { accept: 'application/json' } };
 * const statusOf = async (transport: Transport): Promise<number> => (await transport.request(request)).status;
 * ```
 */
export interface TransportRequest {
  /** `GET`, `POST`, `PUT`, `PATCH`, `DELETE`. */
  readonly method: string;
  /** Path with its query, such as `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers sent once per value, such as impersonated groups. Lower-case names. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /**
   * True for watches and followed logs, which use connections separate from those of short calls. @defaultValue false
   */
  readonly longRunning?: boolean;
  /**
   * True if the headers request a protocol switch (`connection`, `upgrade`): such requests use HTTP/1.1 on a separate connection.
   * If the server agrees, the response is a 101 with the raw stream. @defaultValue false
   */
  readonly upgrade?: boolean;
  /**
   * Called in the tick in which the connection receives the request, after all waiting (for credentials, a connection,
   * a stream) is over. If the gate throws, the request is rejected and no byte is sent. Each retry calls the gate
   * again.
   */
  readonly gate?: () => void;
}

/**
 * The head of a response, and its body as a stream.
 *
 * @example
 * ```ts
 * async function textOf({ body }: TransportResponse): Promise<string> {
 *   const chunks: Uint8Array[] = [];
 *   for await (const chunk of body) chunks.push(chunk);
 *   return Buffer.concat(chunks).toString();
 * }
 * ```
 */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes of the body, decompressed if necessary. The body can be read once, and must be read to its end or
   * canceled with `return()`, as leaving a `for await` loop does, because an open body occupies a stream of a
   * connection.
   */
  readonly body: BodyStream;
  /** The connection after a protocol switch; present only with status 101. The receiver owns it and must destroy it. */
  readonly upgraded?: Duplex;
}

/** Bytes as they arrive. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /**
   * Frees the memory of a chunk that has been read; the chunk is empty afterwards. Absent or without effect if other
   * streams may share the memory.
   */
  reclaim?(piece: Uint8Array): void;
}
