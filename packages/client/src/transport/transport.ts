/**
 * Carries requests to one API server: the seam between the client and the network.
 *
 * {@link HttpTransport} speaks HTTP/2 and HTTP/1.1, {@link InProcessTransport} calls a server in the same process. A
 * transport knows nothing of Kubernetes' objects: an answer of any status resolves, only a lost one rejects.
 */
export interface Transport extends AsyncDisposable {
  /**
   * Sends one request and resolves when the head of the answer is there.
   *
   * Any number of calls may be in flight. Aborting `request.signal` resets the stream, also while the body is read.
   *
   * @throws TransportError when no answer came; its `sent` and `retryable` say what may be done about it.
   * @throws the signal's reason when the request was aborted.
   */
  request(request: TransportRequest): Promise<TransportResponse>;
}

/** One request, complete. */
export interface TransportRequest {
  /** `GET`, `POST`, `PUT`, `PATCH`, `DELETE`. */
  readonly method: string;
  /** Path with its query, such as `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent once for each value, such as impersonated groups. Lower-case names. */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Set for watches and followed logs: they travel on connections apart from short calls. @defaultValue false */
  readonly longRunning?: boolean;
  /**
   * Called in the tick that hands the request to the connection, after all waiting (for credentials, a connection, a place
   * on it) is over. What it throws refuses the request: not a byte of it is sent. Retries call it again.
   */
  readonly gate?: () => void;
}

/** The head of an answer, and its body as it comes. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The body's bytes, decoded if they were compressed. It can be read once, and must be read to its end or given up
   * with `return()` (leaving a `for await` loop does that), for it holds a stream of a connection.
   */
  readonly body: BodyStream;
}

/** Bytes as they arrive. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
  /**
   * Frees the memory of a piece that was read; the piece is empty afterwards. Missing, or without effect, where other
   * streams may share that memory.
   */
  reclaim?(piece: Uint8Array): void;
}
