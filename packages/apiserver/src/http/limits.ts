/** Limits on what clients may request from the server. Sizes are in bytes. */
export interface HttpLimits {
  /** The size of a request's body. @defaultValue 3 MiB, as upstream */
  readonly maxBodyBytes: number;
  /** The size of a request's headers. @defaultValue 64 KiB */
  readonly maxHeaderBytes: number;
  /** Time for an HTTP/1.1 client to send a request's headers. @defaultValue 10 s */
  readonly headersTimeoutMs: number;
  /** Time a connection may stay open without a first request. @defaultValue 30 s */
  readonly firstRequestTimeoutMs: number;
  /** Time for a client to send a request's body once the server reads it; then it gets a 504. @defaultValue 30 s */
  readonly bodyTimeoutMs: number;
  /**
   * Time to respond to a request, and time for a client to read a large response. For watches, only the time in which the client
   * reads nothing is limited; logs and streams into pods have no limit.
   *
   * @defaultValue 60 s
   */
  readonly requestTimeoutMs: number;
  /** Responses larger than this are compressed for clients that accept gzip. @defaultValue 128 KiB */
  readonly gzipThresholdBytes: number;
  /**
   * Open sockets. At the limit, a new one replaces the one that has been idle longest, unknown clients first. It is rejected only
   * if all have requests in progress.
   *
   * @defaultValue 4,096
   */
  readonly maxConnections: number;
  /** Concurrent requests on one HTTP/2 connection; at most 500 on Node 20. @defaultValue 1,000 (clients share one) */
  readonly maxConcurrentStreams: number;
  /**
   * Memory of one HTTP/2 connection, in MiB. Node's default of 10 rejects streams once some readers are slow.
   *
   * @defaultValue 512
   */
  readonly maxSessionMemoryMiB: number;
  /**
   * Streams that a client may reset in a burst, and per second. Node's defaults of 1,000 and 33 cut watchers off. Not on Node 20.
   */
  readonly streamResetBurst: number;
  readonly streamResetRate: number;
  /** Time a connection without requests is kept. Longer than clients keep theirs (Go: 90 s). @defaultValue 3 minutes */
  readonly keepAliveMs: number;
  /** Time {@link HttpServer.close} waits for requests in progress. @defaultValue 2 s */
  readonly closeGraceMs: number;
}

/** The default limits. */
export const defaultLimits: HttpLimits = {
  maxBodyBytes: 3 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  headersTimeoutMs: 10_000,
  firstRequestTimeoutMs: 30_000,
  bodyTimeoutMs: 30_000,
  requestTimeoutMs: 60_000,
  gzipThresholdBytes: 128 * 1024,
  maxConnections: 4096,
  maxConcurrentStreams: 1000,
  maxSessionMemoryMiB: 512,
  streamResetBurst: 20_000,
  streamResetRate: 5_000,
  keepAliveMs: 180_000,
  closeGraceMs: 2_000,
};
